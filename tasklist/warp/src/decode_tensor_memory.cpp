// One table row for each name; operands as the manual's syntax boxes have them.
#include "decode_tensor_memory.h"

#include <algorithm>

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;
using TensorMemoryKind = TensorMemoryOp::Kind;
using TensorShape = TensorMove::Shape;
using Spread = TensorMemoryOp::Spread;

struct TensorMemoryRow {
  Modifier name{};
  TensorMemoryKind kind{};
};
constexpr TensorMemoryRow tensor_memory_rows[] = {
    {Modifier::alloc, TensorMemoryKind::alloc},
    {Modifier::dealloc, TensorMemoryKind::dealloc},
    {Modifier::relinquish_alloc_permit, TensorMemoryKind::relinquish},
    {Modifier::cp, TensorMemoryKind::copy},
    {Modifier::shift, TensorMemoryKind::shift},
    {Modifier::commit, TensorMemoryKind::commit}};

struct TensorShapeRow {
  Modifier name{};
  TensorShape shape{};
};
constexpr TensorShapeRow tensor_shapes[] = {{Modifier::_32x32b, TensorShape::of_32x32b},
                                            {Modifier::_16x64b, TensorShape::of_16x64b},
                                            {Modifier::_16x128b, TensorShape::of_16x128b},
                                            {Modifier::_16x256b, TensorShape::of_16x256b},
                                            {Modifier::_16x32bx2, TensorShape::of_16x32bx2}};

struct CopyRow {
  Modifier name{};
  std::uint32_t rows = 0, row_bytes = 0;
  Spread spread{};
};
constexpr CopyRow copies[] = {{Modifier::_128x256b, 128, 32, Spread::rows},
                              {Modifier::_4x256b, 4, 32, Spread::one_per_warp},
                              {Modifier::_128x128b, 128, 16, Spread::rows},
                              {Modifier::warpx2_02_13, 64, 16, Spread::warps_02_13},
                              {Modifier::warpx2_01_23, 64, 16, Spread::warps_01_23},
                              {Modifier::warpx4, 32, 16, Spread::all_four_warps}};

} // namespace

bool only_orders_tensor_memory(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  constexpr Modifier orders[] = {Modifier::wait_ld, Modifier::wait_st, Modifier::fence_before_thread_sync,
                                 Modifier::fence_after_thread_sync};
  const InstructionForm form = form_of(kernel, instruction);
  return instruction.opcode == ptx::Opcode::tcgen05 &&
         std::any_of(std::begin(orders), std::end(orders), [&](Modifier m) { return form.has(m); });
}

bool TensorMemoryDecoder::bind_address(const Operand& operand, AddressOf& address) {
  const auto found = memory_.address_of(operand);
  address = found.value_or(AddressOf{});
  return found.has_value();
}

bool TensorMemoryDecoder::bind_value(const Operand& operand, Type type, SlotId& value) {
  const auto slot = slots_.source(operand, type);
  value = slot.value_or(SlotId{});
  return slot.has_value();
}

bool TensorMemoryDecoder::bind_operation(Operands operands, TensorMemoryOp& op) {
  switch (op.kind) {
  case TensorMemoryKind::alloc:
    return operands.size() == 2 && bind_address(operands[0], op.address) &&
           bind_value(operands[1], Type::u32, op.value);
  case TensorMemoryKind::dealloc:
    return operands.size() == 2 && bind_value(operands[0], Type::u32, op.place) &&
           bind_value(operands[1], Type::u32, op.value);
  case TensorMemoryKind::relinquish:
    return operands.empty();
  case TensorMemoryKind::copy:
    return operands.size() == 2 && bind_address(operands[0], op.address) &&
           bind_value(operands[1], Type::u64, op.value);
  case TensorMemoryKind::shift:
    return operands.size() == 1 && bind_address(operands[0], op.address);
  case TensorMemoryKind::commit:
    return !operands.empty() && operands.size() <= 2 && bind_address(operands[0], op.address) &&
           (operands.size() == 1 || bind_value(operands[1], Type::u16, op.value));
  }
  return false;
}

std::optional<TensorMemoryOp> TensorMemoryDecoder::decode_operation(const ptx::Instruction& instruction,
                                                                    const InstructionForm& form) {
  const TensorMemoryRow* kind = row_of(tensor_memory_rows, form);
  if (kind == nullptr)
    return std::nullopt;
  TensorMemoryOp op;
  op.kind = kind->kind;
  op.of_pair = form.has(Modifier::cta_group_2);
  if (op.kind == TensorMemoryKind::copy) {
    const CopyRow* row = row_of(copies, form);
    if (row == nullptr)
      return std::nullopt;
    op.rows = row->rows;
    op.row_bytes = row->row_bytes;
    op.spread = row->spread;
    op.format = form.has(Modifier::b6x16_p32)   ? TensorMemoryOp::Format::b6x16_p32
                : form.has(Modifier::b4x16_p64) ? TensorMemoryOp::Format::b4x16_p64
                                                : TensorMemoryOp::Format::whole;
  }
  return bind_operation(kernel_.operands(instruction), op) ? std::optional(std::move(op)) : std::nullopt;
}

bool TensorMemoryDecoder::bind_destinations(Operands list, TensorMove& op) {
  for (const Operand& element : list) {
    const auto slot = slots_.loaded(element);
    if (!slot || (op.reduction != TensorMove::Reduction::none && slot->pool == Pool::none)) // read again
      return false;
    op.registers.push_back(*slot);
  }
  return true;
}

// The address, and where .16x32bx2 has a second one.
bool TensorMemoryDecoder::bind_places(Operands operands, TensorMove& op) {
  const bool has_split = op.shape == TensorShape::of_16x32bx2;
  if (operands.size() != (has_split ? 2U : 1U) || !bind_address(operands[0], op.address) ||
      (has_split && operands[1].kind != OperandKind::integer))
    return false;
  op.split = has_split ? static_cast<std::uint32_t>(operands[1].value) : 0;
  return true;
}

// {r, ...}, {redval,} [taddr] {, split}
bool TensorMemoryDecoder::bind_loaded(Operands operands, TensorMove& op) {
  if (!bind_destinations(kernel_.parts(operands[0]), op))
    return false;
  operands = operands.subspan(1);
  if (op.reduction != TensorMove::Reduction::none) {
    const auto slot = slots_.loaded(operands[0]);
    op.reduced = slot.value_or(SlotId{});
    if (!slot)
      return false;
    operands = operands.subspan(1);
  }
  return bind_places(operands, op);
}

// [taddr], {split,} {r, ...}
bool TensorMemoryDecoder::bind_stored(Operands operands, TensorMove& op) {
  const std::size_t last = operands.size() - 1;
  if (!bind_places(operands.first(last), op))
    return false;
  for (const Operand& element : kernel_.parts(operands[last])) {
    const auto slot = slots_.stored(element, Type::b32);
    if (!slot)
      return false;
    op.registers.push_back(*slot);
  }
  return true;
}

std::optional<TensorMove> TensorMemoryDecoder::decode_move(const ptx::Instruction& instruction,
                                                           const InstructionForm& form) {
  using Reduction = TensorMove::Reduction;
  const TensorShapeRow* row = row_of(tensor_shapes, form);
  const auto operands = kernel_.operands(instruction);
  if (row == nullptr || operands.size() < 2)
    return std::nullopt;
  TensorMove op;
  op.shape = row->shape;
  op.stores = form.has(Modifier::st);
  op.packs = form.has(Modifier::pack_16b) || form.has(Modifier::unpack_16b);
  if (form.has(Modifier::red))
    op.reduction = form.has(Modifier::min) ? Reduction::min : Reduction::max;
  op.type = form.type();
  op.of_magnitudes = form.has(Modifier::abs);
  op.keeps_nan = form.has(Modifier::NaN);
  const bool bound = op.stores ? bind_stored(operands, op) : bind_loaded(operands, op);
  return bound ? std::optional(std::move(op)) : std::nullopt;
}

std::optional<Step> TensorMemoryDecoder::decode(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  if (form.has(Modifier::mma))
    return step_of(instruction, slots_, Step::Kind::tensor_multiply, decode_multiply(instruction, form),
                   program_.tensor_multiplies);
  if (form.has(Modifier::ld) || form.has(Modifier::st))
    return step_of(instruction, slots_, Step::Kind::tensor_move, decode_move(instruction, form),
                   program_.tensor_moves);
  return step_of(instruction, slots_, Step::Kind::tensor_memory, decode_operation(instruction, form),
                 program_.tensor_memory_ops);
}

} // namespace kerncast::warp
