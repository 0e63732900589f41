// Turns tcgen05 into operations on tensor memory.
//
// Left out: .ashift, of which nothing says where rows cross the boundaries of a warp's 32 lanes.
#pragma once

#include "decode_memory.h"
#include "warp/tensor_memory_op.h"

namespace kerncast::warp {

// Waits and fences, which have nothing to order.
bool only_orders_tensor_memory(const ptx::Function& kernel, const ptx::Instruction& instruction);

class TensorMemoryDecoder {
public:
  TensorMemoryDecoder(const ptx::Function& kernel, SlotTable& slots, Program& program)
      : kernel_(kernel), slots_(slots), program_(program), memory_(kernel, slots, program) {}

  // Empty for forms that are not supported.
  std::optional<Step> decode(const ptx::Instruction& instruction);

private:
  using Operands = std::span<const ptx::Operand>;

  std::optional<TensorMemoryOp> decode_operation(const ptx::Instruction& instruction,
                                                 const InstructionForm& form);
  bool bind_operation(Operands operands, TensorMemoryOp& op);
  std::optional<TensorMove> decode_move(const ptx::Instruction& instruction, const InstructionForm& form);
  bool bind_destinations(Operands list, TensorMove& op);
  bool bind_places(Operands operands, TensorMove& op);
  bool bind_loaded(Operands operands, TensorMove& op);
  bool bind_stored(Operands operands, TensorMove& op);
  std::optional<TensorMultiply> decode_multiply(const ptx::Instruction& instruction,
                                                const InstructionForm& form);
  bool bind_matrices(Operands operands, TensorMultiply& op);
  bool bind_tail(Operands tail, TensorMultiply& op);
  bool bind_address(const ptx::Operand& operand, AddressOf& address);
  bool bind_value(const ptx::Operand& operand, ptx::Type type, SlotId& value);

  const ptx::Function& kernel_;
  SlotTable& slots_;
  Program& program_;
  MemoryDecoder memory_;
};

} // namespace kerncast::warp
