// ptxas reads kernel parameters, variables in constant memory at known places and launch constants from the
// constant bank as operands of the instructions that need them, and immediates from the instruction word;
// what is computed from immediates alone is an immediate, too. The use that is dropped remembers its
// constant. Where an instruction has more constants than its encoding takes is the machine's concern.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "passes/passes.h"
#include "resources.h"

namespace kerncast::lowering {

namespace {

using ptx::OperandKind;

// Special registers that are the same for all threads of a launch (bank 0 holds them in front of the
// parameters; sm_20 and later).
constexpr std::array launch_constants = {"%ntid", "%nctaid"};

bool is_launch_constant(std::string_view name) {
  return std::any_of(launch_constants.begin(), launch_constants.end(), [&](std::string_view prefix) {
    return name.starts_with(prefix) && name.substr(prefix.size()).starts_with('.');
  });
}

std::optional<Constant> constant_of(const ptx::Operand& operand) {
  using enum OperandKind;
  switch (operand.kind) {
  case integer:
    return Constant{Constant::Kind::integer, static_cast<std::uint64_t>(operand.value), {}};
  case real:
    return Constant{Constant::Kind::real, std::bit_cast<std::uint64_t>(operand.real()), {}};
  case symbol:
    return Constant{Constant::Kind::symbol, 0, operand.name};
  case special:
    if (is_launch_constant(operand.name))
      return Constant{Constant::Kind::launch, 0, operand.name.substr(1)};
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

// The constant that a mov or cvta gives its one whole result.
std::optional<Constant> moved_constant(const Program& program, std::uint32_t op) {
  const auto operands = program.function->operands(program.instruction(op));
  if (operands.size() != 2 || operands[0].kind != OperandKind::reg || !operands[0].name.empty()) {
    return std::nullopt;
  }
  return constant_of(operands[1]);
}

class ConstantFolder {
public:
  ConstantFolder(Program& program, const ValueFacts& facts, const KnownValues& known)
      : program_(program), facts_(facts), known_(known), constant_(program.value_classes.size(), no_id),
        parameters_(*program.function) {}

  void run() {
    program_.constants.reserve(program_.ops.size() / 4);
    for (std::uint32_t op = 0, count = program_.op_count(); op < count; ++op) {
      note(op);
    }
    if (program_.constants.empty()) {
      return;
    }
    for (Use& use : program_.uses) {
      if (use.value != no_id && constant_[use.value] != no_id) {
        use.constant = constant_[use.value];
        use.value = no_id;
      }
    }
  }

private:
  void note(std::uint32_t op) {
    const Op& o = program_.ops[op];
    const tasklist::OperationTraits& traits = program_.traits_of(o);
    if (traits.kind == tasklist::TaskKind::compute) {
      if (program_.shape_of(o).moves_constants || known_.result_of(op).kind != KnownValue::Kind::unknown) {
        note_computed(op);
      }
    } else if (o.uses.count == 0 && o.definitions.count != 0) {
      note_access(op, traits);
    }
  }

  void note_computed(std::uint32_t op) {
    if (program_.instruction(op).guard != ptx::no_id) {
      return;
    }
    const KnownValue& known = known_.result_of(op);
    const auto moved =
        program_.shape_of(program_.ops[op]).moves_constants ? moved_constant(program_, op) : std::nullopt;
    if (moved) {
      name_results(op, *moved, 0);
    } else if (known.kind == KnownValue::Kind::number) {
      name_results(op, {Constant::Kind::integer, known.bits, {}}, 0);
    } else if (known.kind == KnownValue::Kind::place) {
      name_results(op, {Constant::Kind::symbol, 0, known.base}, 0); // the access adds the offset
    }
  }

  // Of an access without registers in its address or among what it stores.
  void note_access(std::uint32_t op, const tasklist::OperationTraits& traits) {
    const auto operands = program_.function->operands(program_.instruction(op));
    const bool loads = traits.kind == tasklist::TaskKind::load;
    if (loads && traits.space == tasklist::Space::param) {
      const ptx::Operand& address = operands[1];
      const std::uint64_t base = parameters_.offset_of(address.name).value_or(0);
      name_results(op, {Constant::Kind::parameter, base + static_cast<std::uint64_t>(address.value), {}},
                   element_bytes(op));
    } else if (loads && traits.space == tasklist::Space::constant) {
      const ptx::Operand& address = operands[1];
      if (!address.name.empty()) // else at a number: which variable lies there is not known
        name_results(op, {Constant::Kind::variable, static_cast<std::uint64_t>(address.value), address.name},
                     element_bytes(op));
    } else if (traits.kind == tasklist::TaskKind::store && traits.space == tasklist::Space::param) {
      name_results(op, constant_of(operands.back()).value_or(Constant{}), 0); // a call's argument
    }
  }

  std::uint64_t element_bytes(std::uint32_t op) const {
    const auto results = program_.definitions_of(program_.ops[op]).size();
    return results == 0 ? 0 : program_.ops[op].access_bytes / results;
  }

  // Elements of a vector lie `step` bytes apart.
  void name_results(std::uint32_t op, Constant constant, std::uint64_t step) {
    for (const ValueId value : program_.definitions_of(program_.ops[op])) {
      if (facts_.of(value).is_settled) {
        constant_[value] = static_cast<std::uint32_t>(program_.constants.size());
        program_.constants.push_back(constant);
      }
      constant.bits += step;
    }
  }

  Program& program_;
  const ValueFacts& facts_;
  const KnownValues& known_;
  std::vector<std::uint32_t> constant_; // by value: index into Program::constants
  ParameterOffsets parameters_;
};

} // namespace

void fold_constants(Program& program, const ValueFacts& facts, const KnownValues& known) {
  ConstantFolder(program, facts, known).run();
}

} // namespace kerncast::lowering
