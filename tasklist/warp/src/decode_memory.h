// Turns loads, stores, atomics, asynchronous copies and barriers into memory operations.
#pragma once

#include "select_operation.h"
#include "slots.h"

namespace kerncast::warp {

ptx::Space space_of(const InstructionForm& form);
// .add, .min, ...
std::optional<Atomic> atomic_function_of(const InstructionForm& form);

class MemoryDecoder {
public:
  MemoryDecoder(const ptx::Function& kernel, SlotTable& slots, Program& program)
      : kernel_(kernel), slots_(slots), program_(program) {}

  // Whether an instruction is one of these; it may still not be known.
  static bool is_memory(ptx::Opcode opcode);
  // Empty for forms that are not supported.
  std::optional<Step> decode(const ptx::Instruction& instruction);

  std::optional<AddressOf> address_of(const ptx::Operand& operand);

private:
  std::optional<MemoryOp> decode_load(const ptx::Instruction& instruction);
  std::optional<MemoryOp> decode_clear(const ptx::Instruction& instruction);
  std::optional<MemoryOp> decode_multimem(const ptx::Instruction& instruction);
  std::optional<MemoryOp> decode_store(const ptx::Instruction& instruction);
  std::optional<MemoryOp> decode_atomic(const ptx::Instruction& instruction);
  bool bind_wide(std::span<const ptx::Operand> elements, MemoryOp& op);
  bool bind_wide_atomic(std::span<const ptx::Operand> operands, const ptx::Operand* result, MemoryOp& op);
  bool bind_atomic(std::span<const ptx::Operand> operands, const ptx::Operand* result, MemoryOp& op);
  bool bind_operands(const ptx::Operand& operand, MemoryOp& op);
  std::optional<MemoryOp> decode_copy(const ptx::Instruction& instruction);
  std::optional<MemoryOp> decode_access(const ptx::Instruction& instruction);
  std::optional<Step> decode_signal(const ptx::Instruction& instruction, const MemoryOp& access);
  std::optional<BarrierOp> decode_barrier(const ptx::Instruction& instruction);
  MemoryOp plain(const ptx::Instruction& instruction) const;

  const ptx::Function& kernel_;
  SlotTable& slots_;
  Program& program_;
};

} // namespace kerncast::warp
