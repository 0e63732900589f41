// tcgen05.mma{.ws}{.sp}: [d], a, b{, [metadata]}, descriptor, then
//   {lanes not to write,} whether d is added{, scale of d}        of kinds without factors,
//   [factors of a], [factors of b], whether d is added            of those with,
//   whether d is added{, columns of b that are zero}              with .ws.
#include "decode_tensor_memory.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;
using MultiplyKind = TensorMultiply::Kind;

struct MultiplyRow {
  Modifier name{};
  MultiplyKind kind{};
};
constexpr MultiplyRow multiply_rows[] = {
    {Modifier::kind_f16, MultiplyKind::f16},           {Modifier::kind_tf32, MultiplyKind::tf32},
    {Modifier::kind_f8f6f4, MultiplyKind::f8f6f4},     {Modifier::kind_i8, MultiplyKind::i8},
    {Modifier::kind_mxf8f6f4, MultiplyKind::mxf8f6f4}, {Modifier::kind_mxf4, MultiplyKind::mxf4},
    {Modifier::kind_mxf4nvf4, MultiplyKind::mxf4nvf4}};

std::uint8_t parts_of(const InstructionForm& form, MultiplyKind kind) {
  switch (kind) {
  case MultiplyKind::mxf8f6f4:
    return 1;
  case MultiplyKind::mxf4:
    return 2;
  case MultiplyKind::mxf4nvf4:
    return form.has(Modifier::scale_vec_4X) || form.has(Modifier::block16) ? 4 : 2;
  default:
    return 0;
  }
}

} // namespace

bool TensorMemoryDecoder::bind_matrices(Operands operands, TensorMultiply& op) {
  op.has_descriptor_a = operands[1].kind != OperandKind::address;
  const bool has_a = op.has_descriptor_a ? bind_value(operands[1], Type::u64, op.descriptor_a)
                                         : bind_address(operands[1], op.a);
  const std::size_t instruction = op.is_sparse ? 4 : 3;
  return has_a && bind_address(operands[0], op.d) && bind_value(operands[2], Type::u64, op.descriptor_b) &&
         (!op.is_sparse || bind_address(operands[3], op.metadata)) &&
         bind_value(operands[instruction], Type::u32, op.instruction);
}

bool TensorMemoryDecoder::bind_tail(Operands tail, TensorMultiply& op) {
  if (op.parts > 0) {
    if (tail.size() != 3 || !bind_address(tail[0], op.factors_a) || !bind_address(tail[1], op.factors_b))
      return false;
    tail = tail.subspan(2);
  } else if (tail.size() > 1 && tail[0].kind == OperandKind::vector) {
    op.disabled_lanes.resize(kernel_.parts(tail[0]).size());
    if (!slots_.sources(kernel_.parts(tail[0]), Type::b32, op.disabled_lanes))
      return false;
    tail = tail.subspan(1);
  }
  if (tail.empty() || tail.size() > 2 || !bind_value(tail[0], Type::pred, op.adds_d))
    return false;
  op.adds_negated = tail[0].negated;
  if (tail.size() == 1)
    return true;
  if (op.is_weight_stationary)
    return bind_value(tail[1], Type::u64, op.zero_columns);
  op.scale_d = static_cast<std::uint32_t>(tail[1].value);
  return tail[1].kind == OperandKind::integer && op.scale_d <= TensorMultiply::most_scale;
}

std::optional<TensorMultiply> TensorMemoryDecoder::decode_multiply(const ptx::Instruction& instruction,
                                                                   const InstructionForm& form) {
  const MultiplyRow* row = row_of(multiply_rows, form);
  const auto operands = kernel_.operands(instruction);
  TensorMultiply op;
  op.is_sparse = form.has(Modifier::sp);
  const std::size_t matrices = op.is_sparse ? 5 : 4;
  if (row == nullptr || form.has(Modifier::ashift) || operands.size() <= matrices)
    return std::nullopt;
  op.kind = row->kind;
  op.of_pair = form.has(Modifier::cta_group_2);
  op.is_weight_stationary = form.has(Modifier::ws);
  op.parts = parts_of(form, op.kind);
  const bool bound = bind_matrices(operands, op) && bind_tail(operands.subspan(matrices), op);
  return bound ? std::optional(std::move(op)) : std::nullopt;
}

} // namespace kerncast::warp
