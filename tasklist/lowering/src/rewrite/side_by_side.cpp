#include "rewrite/side_by_side.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <tuple>

#include "address_bases.h"
#include "same_values.h"

namespace kerncast::lowering {

namespace {

using ptx::Modifier;
using ptx::Operand;
using ptx::OperandKind;
using tasklist::Space;
using tasklist::TaskKind;

struct Base {
  AddressBase address;
  std::uint32_t element_bytes = 0;
  auto operator<=>(const Base&) const = default;
};

struct Access {
  Base base;
  std::int64_t place = 0; // from the base, bytes
  std::uint32_t op = 0;
  std::uint32_t since = 0; // the registers of its elements were read or written before this op only
  bool is_joined = false;
};

class AccessFinder {
public:
  AccessFinder(const Program& program, const ValueFacts& facts, const KnownValues& known)
      : program_(program), function_(*program.function), facts_(facts), known_(known),
        bases_(program, facts, known), touched_(program.value_classes.size(), 0) {}

  std::vector<JoinedAccess> run() {
    for (const tasklist::Block& block : program_.blocks)
      if (has_several(block))
        look_at(block);
    std::ranges::sort(found_, {}, &JoinedAccess::at);
    return std::move(found_);
  }

private:
  // Loads and stores of one memory that nothing has come between.
  struct Open {
    std::vector<Access> loads, stores; // stores are of one base
  };

  bool is_near(std::uint32_t op) const {
    const Space space = program_.traits_of(program_.ops[op]).space;
    return space == Space::shared || space == Space::local;
  }

  bool has_several(const tasklist::Block& block) const {
    std::uint32_t near = 0;
    for (std::uint32_t i = 0; i < block.instruction_count && near < 2; ++i)
      near += is_near(block.first_instruction + i) ? 1 : 0;
    return near > 1;
  }

  // Nothing is joined across blocks, and what registers were before does not matter.
  void look_at(const tasklist::Block& block) {
    const std::uint32_t end = block.first_instruction + block.instruction_count;
    for (next_ = block.first_instruction; next_ < end;) {
      look_at(next_);
      note_registers(next_++);
    }
    close_all();
  }

  void look_at(std::uint32_t op) {
    const tasklist::OperationTraits& traits = program_.traits_of(program_.ops[op]);
    if (is_near(op) && traits.kind == TaskKind::load)
      add_load(op, traits.space == Space::shared ? shared_ : local_);
    else if (is_near(op) && traits.kind == TaskKind::store)
      add_store(op, traits.space == Space::shared ? shared_ : local_);
    else if (separates(op, traits))
      close_all();
  }

  bool separates(std::uint32_t op, const tasklist::OperationTraits& traits) const {
    if (tasklist::is_memory(traits.kind))
      return traits.space == Space::shared || traits.space == Space::local || traits.space == Space::generic;
    if (traits.kind == TaskKind::warp_sync)
      return program_.operations[program_.ops[op].operation].starts_with("bar");
    return traits.kind == TaskKind::barrier || traits.kind == TaskKind::fence ||
           (traits.kind == TaskKind::compute && traits.side_effect);
  }

  void add_load(std::uint32_t op, Open& open) {
    close(open.stores, false);
    const std::uint32_t bytes = element_bytes(op, true);
    if (bytes == 0)
      return;
    std::uint32_t since = 0;
    for (const ValueId value : program_.definitions_of(program_.ops[op]))
      since = std::max(since, touched_[value]);
    open.loads.push_back(access_of(op, bytes));
    open.loads.back().since = since;
  }

  void add_store(std::uint32_t op, Open& open) {
    close(open.loads, true);
    const std::uint32_t bytes = element_bytes(op, false);
    if (bytes == 0) {
      close(open.stores, false);
      return;
    }
    const Access access = access_of(op, bytes);
    if (!open.stores.empty() && open.stores.front().base != access.base)
      close(open.stores, false);
    open.stores.push_back(access);
  }

  Access access_of(std::uint32_t op, std::uint32_t bytes) {
    auto [base, place] = bases_.of(operand(op, true), op);
    if (base.r != ptx::no_id && facts_.of(base.r).is_settled)
      base.r = same_values().first_of(base.r);
    return {.base = {base, bytes}, .place = place, .op = op};
  }

  SameValues& same_values() {
    if (!same_values_)
      same_values_.emplace(program_, facts_);
    return *same_values_;
  }

  const Operand& operand(std::uint32_t op, bool is_address) const {
    const bool is_load = program_.traits_of(program_.ops[op]).kind == TaskKind::load;
    return function_.operands(program_.instruction(op))[is_load == is_address ? 1 : 0];
  }

  // Of an access without guard whose elements are whole registers, or constants that are stored; else 0.
  std::uint32_t element_bytes(std::uint32_t op, bool is_load) const {
    const ptx::Instruction& instruction = program_.instruction(op);
    const auto operands = function_.operands(instruction);
    if (instruction.guard != ptx::no_id || operands.size() != 2 ||
        operand(op, true).kind != OperandKind::address || operand(op, true).has_elements)
      return 0;
    for (const Modifier modifier : function_.modifiers(instruction))
      if (ptx::type_of(modifier) == ptx::Type::none && modifier != Modifier::shared &&
          modifier != Modifier::local && modifier != Modifier::v2 && modifier != Modifier::v4)
        return 0;
    const auto elements = function_.parts(operand(op, false));
    const std::uint32_t bytes = program_.ops[op].access_bytes / static_cast<std::uint32_t>(elements.size());
    const bool is_whole = std::ranges::all_of(elements, [&](const Operand& e) {
      const bool is_constant = e.kind == OperandKind::integer || e.kind == OperandKind::real;
      return (is_constant && !is_load) || (e.kind == OperandKind::reg && e.name.empty() && !e.negated &&
                                           ptx::size_bytes(function_.registers[e.id].type) == bytes);
    });
    return is_whole && (bytes == 2 || bytes == 4 || bytes == 8) ? bytes : 0;
  }

  void note_registers(std::uint32_t op) {
    for (const Use& use : program_.uses_of(program_.ops[op]))
      if (use.value != no_id)
        touched_[use.value] = op + 1;
    for (const ValueId value : program_.definitions_of(program_.ops[op]))
      touched_[value] = op + 1;
  }

  void close_all() {
    for (Open* open : {&shared_, &local_}) {
      close(open->loads, true);
      close(open->stores, false);
    }
  }

  void close(std::vector<Access>& accesses, bool are_loads) {
    if (accesses.size() > 1) {
      std::ranges::sort(accesses, {}, [](const Access& a) { return std::tie(a.base, a.op); });
      for (auto first = accesses.begin(); first != accesses.end();) {
        const auto last =
            std::find_if(first, accesses.end(), [&](const Access& a) { return a.base != first->base; });
        if (last - first > 1)
          join_all({first, last}, are_loads);
        first = last;
      }
    }
    accesses.clear();
  }

  // Accesses with one base, in the order of the text.
  void join_all(std::span<Access> group, bool are_loads) {
    const Base& base = group.front().base;
    if (!are_loads && some_overlap(group)) // the one would pass the other
      return;
    for (const std::size_t count : {4u, 2u})
      if (is_aligned(base, count * base.element_bytes))
        join(group, count, are_loads);
  }

  bool some_overlap(std::span<const Access> group) {
    ends_.clear();
    for (const Access& access : group) {
      const std::size_t elements = function_.parts(operand(access.op, false)).size();
      ends_.emplace_back(access.place,
                         access.place + static_cast<std::int64_t>(elements * access.base.element_bytes));
    }
    std::ranges::sort(ends_);
    return std::ranges::adjacent_find(
               ends_, [](const auto& a, const auto& b) { return b.first < a.second; }) != ends_.end();
  }

  bool is_aligned(const Base& base, std::size_t bytes) {
    if (bytes > widest_access || base.address.r == ptx::no_id)
      return bytes <= widest_access;
    if (!alignments_)
      alignments_.emplace(program_, facts_, known_);
    const std::uint32_t zero_bits =
        alignments_->of(base.address.r) + static_cast<std::uint32_t>(std::countr_zero(base.address.scale));
    return zero_bits >= widest_access || bytes <= std::size_t{1} << zero_bits;
  }

  static std::int64_t floored(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

  // Those that one vector of so many elements holds.
  void join(std::span<Access> group, std::size_t count, bool are_loads) {
    const auto bytes = static_cast<std::int64_t>(count * group.front().base.element_bytes);
    windows_.clear();
    for (Access& access : group)
      if (!access.is_joined)
        windows_.emplace_back(floored(access.place, bytes), &access);
    std::ranges::stable_sort(windows_, {}, &std::pair<std::int64_t, Access*>::first);
    for (auto first = windows_.begin(); first != windows_.end();) {
      const std::int64_t window = first->first;
      members_.clear();
      for (; first != windows_.end() && first->first == window; ++first)
        members_.push_back(first->second);
      if (members_.size() > 1)
        join(window * bytes, count, members_, are_loads);
    }
  }

  void join(std::int64_t begin, std::size_t count, std::vector<Access*>& members, bool are_loads) {
    std::erase_if(members, [&](const Access* a) { return !may_move(*a, *members.front(), are_loads); });
    if (members.size() < 2)
      return;
    const Base& base = members.front()->base;
    JoinedAccess joined{.element_bytes = static_cast<std::uint8_t>(base.element_bytes),
                        .elements = std::vector<Operand>(count)};
    std::vector<Access*> taken;
    std::size_t elements = 0;
    for (Access* access : members) {
      const auto parts = function_.parts(operand(access->op, false));
      const auto first = static_cast<std::size_t>(access->place - begin) / base.element_bytes;
      const bool fits = (access->place - begin) % base.element_bytes == 0 && first + parts.size() <= count;
      if (!fits || std::ranges::any_of(std::span(joined.elements).subspan(first, parts.size()),
                                       [](const Operand& e) { return e.kind != OperandKind::sink; }))
        continue;
      std::ranges::copy(parts, joined.elements.begin() + static_cast<std::ptrdiff_t>(first));
      elements += parts.size();
      taken.push_back(access);
      joined.ops.push_back(access->op);
    }
    const std::size_t needed = are_loads && count == 4 ? 3 : count;
    if (taken.size() < 2 || elements < needed)
      return;
    const Access& at = are_loads ? *taken.front() : *taken.back();
    joined.at = at.op;
    joined.offset = operand(at.op, true).offset() + begin - at.place;
    for (Access* access : taken)
      access->is_joined = true;
    found_.push_back(std::move(joined));
  }

  // Loads move up to the first one, stores down to where this is asked.
  bool may_move(const Access& access, const Access& first, bool are_loads) {
    if (are_loads)
      return &access == &first || access.since <= first.op;
    return std::ranges::all_of(function_.parts(operand(access.op, false)), [&](const Operand& e) {
      return e.kind != OperandKind::reg || bases_.written_before(next_, e.id) <= access.op;
    });
  }

  const Program& program_;
  const ptx::Function& function_;
  const ValueFacts& facts_;
  const KnownValues& known_;
  std::vector<std::pair<std::int64_t, std::int64_t>> ends_; // of the stores at hand: where they begin and end
  std::optional<Alignments> alignments_;                    // computed when first asked for
  AddressBases bases_;
  std::optional<SameValues> same_values_; // computed when first asked for
  std::vector<std::uint32_t> touched_;    // by value: behind the last op that read or wrote it
  std::uint32_t next_ = 0;                // the first op of the block that is not looked at
  Open shared_, local_;
  std::vector<std::pair<std::int64_t, Access*>> windows_; // of the accesses to join
  std::vector<Access*> members_;                          // of one window
  std::vector<JoinedAccess> found_;
};

} // namespace

std::vector<JoinedAccess> find_side_by_side(const Program& program, const ValueFacts& facts,
                                            const KnownValues& known) {
  return AccessFinder(program, facts, known).run();
}

} // namespace kerncast::lowering
