// The operands of mma's block scaling.
#pragma once

#include "select_operation.h"
#include "slots.h"
#include "warp/matrix_op.h"

namespace kerncast::warp {

// How elements of 8 bits and less lie in registers, and what scales them.
struct NarrowKind {
  bool has_bytes = false; // formats of 6 and 4 bits in a byte each
  std::uint8_t parts = 0; // of rows of a and columns of b with one factor each; 0: no block scaling
  Element factor = Element::ue8m0;
};
NarrowKind narrow_kind(const InstructionForm& form);

// e, {byte-id, thread-id}, g, {byte-id, thread-id}: the last four operands.
bool bind_block_scales(const ptx::Function& kernel, std::span<const ptx::Operand> operands,
                       const NarrowKind& kind, SlotTable& slots, MatrixOp& op);

} // namespace kerncast::warp
