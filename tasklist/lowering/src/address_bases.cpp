#include "address_bases.h"

#include "linear_sum.h"

namespace kerncast::lowering {
namespace {

using ptx::Operand;

bool is_narrow(const Program& program, ptx::RegisterId r) {
  return program.value_classes[r] == tasklist::ValueClass::b32;
}

// register = base + place; steps from a register to the one that it is computed from.
class Walk {
public:
  Walk(const Program& program, const ValueFacts& facts, const KnownValues& known, ptx::RegisterId r)
      : program_(program), facts_(facts), known_(known), base_{.r = r}, is_narrow_(is_narrow(program, r)) {}

  std::pair<AddressBase, std::uint64_t> run() {
    while (step())
      ;
    if (const KnownValue& value = known_.of(base_.r); value.kind == ValueKind::place && take(value.base)) {
      place_ += value.bits;
      base_.r = ptx::no_id;
    }
    if (is_narrow_)
      base_.scale = static_cast<std::uint32_t>(base_.scale);
    return {base_, place_};
  }

private:
  bool step() {
    const ValueFact& fact = facts_.of(base_.r);
    if (!fact.is_settled || fact.writer == no_id)
      return false;
    const auto sum = linear_sum(program_, known_, fact.writer);
    if (!sum || sum->count != 1 || !facts_.of(sum->terms[0].r).is_settled || !take(sum->variable))
      return false;
    place_ += base_.scale * sum->constant;
    base_.scale *= sum->terms[0].factor;
    base_.r = sum->terms[0].r;
    return true;
  }

  // One variable, once.
  bool take(std::string_view variable) {
    if (variable.empty())
      return true;
    if (!base_.variable.empty() || base_.scale != 1)
      return false;
    base_.variable = variable;
    return true;
  }

  const Program& program_;
  const ValueFacts& facts_;
  const KnownValues& known_;
  AddressBase base_;
  std::uint64_t place_ = 0;
  bool is_narrow_ = false;
};

} // namespace

std::pair<AddressBase, std::int64_t> AddressBases::of(const Operand& address, std::uint32_t op) {
  if (!address.name.empty() || address.id == ptx::no_id)
    return {{.variable = address.name}, address.offset()};
  auto [base, of_register] = root_of(address.id);
  const std::uint64_t place = of_register + static_cast<std::uint64_t>(address.offset());
  if (base.r != ptx::no_id && !facts_.of(base.r).is_settled)
    base.version = written_before(op, base.r);
  return {base, is_narrow(program_, address.id) ? static_cast<std::int32_t>(place)
                                                : static_cast<std::int64_t>(place)};
}

const AddressBases::Root& AddressBases::root_of(ptx::RegisterId r) {
  if (root_of_[r] == no_id) {
    root_of_[r] = static_cast<std::uint32_t>(roots_.size());
    const auto [base, place] = Walk(program_, facts_, known_, r).run();
    roots_.push_back({base, place});
  }
  return roots_[root_of_[r]];
}

} // namespace kerncast::lowering
