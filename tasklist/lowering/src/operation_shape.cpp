#include "operation_shape.h"

#include <algorithm>
#include <string_view>

namespace kerncast::lowering {

namespace {

using enum ptx::Opcode;

void read_types(std::span<const ptx::Modifier> modifiers, OperationShape& shape) {
  for (const ptx::Modifier modifier : modifiers) {
    const ptx::Type type = ptx::type_of(modifier);
    if (type == ptx::Type::none) {
      shape.is_wide |= modifier == ptx::Modifier::wide;
      const bool names_space = modifier == ptx::Modifier::to || modifier == ptx::Modifier::local;
      shape.is_plain &= modifier == ptx::Modifier::wide || modifier == ptx::Modifier::lo ||
                        (names_space && shape.opcode == cvta);
      continue;
    }
    shape.to = shape.to == ptx::Type::none ? type : shape.to;
    shape.from = type;
  }
  shape.is_plain &= shape.from != ptx::Type::none && !ptx::is_float(shape.to) && !ptx::is_float(shape.from);
}

// cvt.TO.FROM of two integer types of one width, without rounding or saturation (PTX ISA 9.7.9.21).
bool keeps_bits(std::span<const ptx::Modifier> modifiers) {
  if (modifiers.size() != 2) {
    return false;
  }
  const ptx::Type to = ptx::type_of(modifiers[0]), from = ptx::type_of(modifiers[1]);
  const auto is_integer = [](ptx::Type type) { return ptx::size_bytes(type) != 0 && !ptx::is_float(type); };
  return is_integer(to) && is_integer(from) && ptx::size_bytes(to) == ptx::size_bytes(from);
}

bool is_evaluated(ptx::Opcode opcode) {
  switch (opcode) {
  case mov:
  case cvt:
  case cvta:
  case mad:
  case add:
  case sub:
  case mul:
  case and_:
  case or_:
  case xor_:
  case shl:
    return true;
  default:
    return false;
  }
}

bool is_linear(ptx::Opcode opcode) {
  return opcode == add || opcode == sub || opcode == shl || opcode == mul || opcode == mad;
}

bool is_shared(ptx::Opcode opcode) {
  switch (opcode) {
  case add:
  case sub:
  case mul:
  case mad:
  case shl:
  case shr:
  case and_:
  case or_:
  case xor_:
  case not_:
  case neg:
  case cvt:
    return true;
  default:
    return false;
  }
}

// A move from a special register that is the same whenever a thread reads it; clocks, SMs and warp slots are
// not (PTX ISA, section 10).
bool reads_constant_register(const ptx::Function& function, const ptx::Instruction& instruction) {
  constexpr std::string_view constant[] = {
      "%tid.",        "%ctaid.",         "%laneid",          "%lanemask_",       "%clusterid.",
      "%nclusterid.", "%cluster_ctaid.", "%cluster_nctaid.", "%cluster_ctarank", "%cluster_nctarank",
      "%nsmid",       "%nwarpid"};
  const auto operands = function.operands(instruction);
  return instruction.opcode == mov && operands.size() == 2 && operands[1].kind == ptx::OperandKind::special &&
         std::ranges::any_of(constant,
                             [&](std::string_view name) { return operands[1].name.starts_with(name); });
}

bool is_float_type(ptx::Modifier modifier) {
  const std::string_view name = ptx::name(modifier);
  return name.starts_with("f") || name.starts_with("bf");
}

} // namespace

OperationShape operation_shape(const ptx::Function& function, const ptx::Instruction& instruction) {
  OperationShape shape;
  shape.opcode = instruction.opcode;
  const auto modifiers = function.modifiers(instruction);
  const auto has = [&](ptx::Modifier wanted) { return function.has(instruction, wanted); };
  read_types(modifiers, shape);
  shape.rounds_integers = shape.opcode == cvt && shape.from != ptx::Type::none && ptx::is_float(shape.to) &&
                          !ptx::is_float(shape.from);
  shape.is_evaluated = (shape.is_plain || shape.rounds_integers) && is_evaluated(shape.opcode);
  shape.is_linear = is_linear(shape.opcode) && shape.is_plain && !shape.is_wide;
  shape.moves_constants = shape.opcode == mov || shape.opcode == cvta;
  shape.is_copy = shape.moves_constants || (shape.opcode == cvt && keeps_bits(modifiers));
  shape.reads_carry = shape.opcode == addc || shape.opcode == subc || shape.opcode == madc;
  shape.writes_carry = has(ptx::Modifier::cc);
  shape.reads_result = has(ptx::Modifier::mma_async);
  shape.has_two_results = shape.opcode == tcgen05 && has(ptx::Modifier::red);
  shape.is_shared = shape.opcode == cvt || reads_constant_register(function, instruction) ||
                    (is_shared(shape.opcode) && std::ranges::none_of(modifiers, is_float_type));
  return shape;
}

} // namespace kerncast::lowering
