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

// A load from there without registers in its address.
bool is_load_from(tasklist::Space space, const Program& program, std::uint32_t op) {
  const auto& traits = program.traits_of(program.ops[op]);
  return traits.kind == tasklist::TaskKind::load && traits.space == space &&
         program.uses_of(program.ops[op]).empty();
}

// Call parameters stored from immediates alone.
bool is_immediate_argument(const Program& program, std::uint32_t op) {
  const auto& traits = program.traits_of(program.ops[op]);
  return traits.kind == tasklist::TaskKind::store && traits.space == tasklist::Space::param &&
         program.uses_of(program.ops[op]).empty();
}

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

// The constant that an unguarded mov or cvta gives its one whole result.
std::optional<Constant> moved_constant(const Program& program, std::uint32_t op) {
  const ptx::Instruction& instruction = program.instruction(op);
  if (instruction.opcode != ptx::Opcode::mov && instruction.opcode != ptx::Opcode::cvta) {
    return std::nullopt;
  }
  const auto operands = program.function->operands(instruction);
  if (operands.size() != 2 || operands[0].kind != OperandKind::reg || !operands[0].name.empty()) {
    return std::nullopt;
  }
  return constant_of(operands[1]);
}

class ConstantFolder {
public:
  ConstantFolder(Program& program, const ValueFacts& facts, const KnownValues& known)
      : program_(program), facts_(facts), known_(known), constant_(program.value_classes.size(), no_id),
        parameter_offsets_(parameter_offsets(*program.function)) {}

  void run() {
    for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
      if (program_.instruction(op).guard == ptx::no_id) {
        note(op);
      }
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
    if (const auto constant = moved_constant(program_, op)) {
      name_results(op, *constant, 0);
    } else if (is_load_from(tasklist::Space::param, program_, op)) {
      const ptx::Operand& address = program_.function->operands(program_.instruction(op))[1];
      const auto found = parameter_offsets_.find(address.name);
      const std::uint64_t base = found == parameter_offsets_.end() ? 0 : found->second;
      name_results(op, {Constant::Kind::parameter, base + static_cast<std::uint64_t>(address.value), {}},
                   element_bytes(op));
    } else if (is_load_from(tasklist::Space::constant, program_, op)) {
      const ptx::Operand& address = program_.function->operands(program_.instruction(op))[1];
      if (!address.name.empty()) // else at a number: which variable lies there is not known
        name_results(op, {Constant::Kind::variable, static_cast<std::uint64_t>(address.value), address.name},
                     element_bytes(op));
    } else if (is_immediate_argument(program_, op)) {
      const auto operands = program_.function->operands(program_.instruction(op));
      name_results(op, constant_of(operands.back()).value_or(Constant{}), 0);
    } else if (known_.result_of(op).kind == KnownValue::Kind::number) {
      name_results(op, {Constant::Kind::integer, known_.result_of(op).bits, {}}, 0);
    } else if (known_.result_of(op).kind == KnownValue::Kind::place) {
      name_results(op, {Constant::Kind::symbol, 0, known_.result_of(op).base},
                   0); // the access adds the offset
    }
  }

  std::uint64_t element_bytes(std::uint32_t op) const {
    const auto results = program_.definitions_of(program_.ops[op]).size();
    return results == 0 ? 0 : program_.ops[op].access_bytes / results;
  }

  // Elements of a vector lie `step` bytes apart.
  void name_results(std::uint32_t op, Constant constant, std::uint64_t step) {
    for (const ValueId value : program_.definitions_of(program_.ops[op])) {
      if (facts_.settled[value] != 0) {
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
  ParameterOffsets parameter_offsets_;
};

} // namespace

void fold_constants(Program& program, const ValueFacts& facts, const KnownValues& known) {
  ConstantFolder(program, facts, known).run();
}

} // namespace kerncast::lowering
