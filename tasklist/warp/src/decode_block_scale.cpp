#include "decode_block_scale.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Operand;
using ptx::Type;

std::uint8_t parts_of(const InstructionForm& form) {
  if (form.has(Modifier::scale_vec_4X))
    return 4;
  return form.has(Modifier::scale_vec_1X) || form.has(Modifier::kind_mxf8f6f4) ? 1 : 2;
}

bool bind_block_scale(const ptx::Function& kernel, const Operand& factors, const Operand& selector,
                      const NarrowKind& kind, SlotTable& slots, BlockScale& scale) {
  const auto ids = kernel.parts(selector);
  if (ids.size() != 2)
    return false;
  const auto slot = slots.source(factors, Type::b32);
  const auto byte = slots.source(ids[0], Type::u16), lanes = slots.source(ids[1], Type::u16);
  if (!slot || !byte || !lanes)
    return false;
  scale = {kind.factor, kind.parts, *slot, *byte, *lanes};
  return true;
}

} // namespace

NarrowKind narrow_kind(const InstructionForm& form) {
  NarrowKind kind;
  kind.has_bytes = form.has(Modifier::kind_f8f6f4) || form.has(Modifier::kind_mxf8f6f4);
  if (form.has(Modifier::block_scale))
    kind.parts = parts_of(form);
  kind.factor = form.has(Modifier::ue4m3) ? Element::ue4m3 : Element::ue8m0;
  return kind;
}

bool bind_block_scales(const ptx::Function& kernel, std::span<const Operand> operands, const NarrowKind& kind,
                       SlotTable& slots, MatrixOp& op) {
  return bind_block_scale(kernel, operands[0], operands[1], kind, slots, op.scale_a) &&
         bind_block_scale(kernel, operands[2], operands[3], kind, slots, op.scale_b);
}

} // namespace kerncast::warp
