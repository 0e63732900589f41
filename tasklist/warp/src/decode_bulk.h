// Turns cp.async.bulk, cp.reduce.async.bulk, their tensor and multimem forms, and tensormap, into operations;
// and clusterlaunchcontrol.try_cancel, which answers as a bulk copy delivers. A request to cancel a cluster
// that has not been launched may always fail (PTX ISA, clusterlaunchcontrol.try_cancel), and here it always
// does: each cluster is launched.
//
// Left out: im2col::w modes.
#pragma once

#include "decode_memory.h"

namespace kerncast::warp {

class BulkDecoder {
public:
  BulkDecoder(const ptx::Function& kernel, SlotTable& slots, Program& program)
      : kernel_(kernel), slots_(slots), program_(program), memory_(kernel, slots, program) {}

  static bool is_bulk(const ptx::Function& kernel, const ptx::Instruction& instruction);
  // Empty for forms that are not supported.
  std::optional<Step> decode(const ptx::Instruction& instruction);

private:
  std::optional<Step> decode_tensor_map(const ptx::Instruction& instruction);
  std::optional<BulkCopy> decode_copy(const ptx::Instruction& instruction);
  std::optional<BulkCopy> decode_request(const ptx::Instruction& instruction);
  std::optional<BulkCopy> decode_prefetch(std::span<const ptx::Operand> operands);
  std::optional<BulkCopy> decode_map_copy(const ptx::Instruction& instruction);
  std::optional<TensorCopy> decode_tensor_copy(const ptx::Instruction& instruction);
  std::optional<TensorMapChange> decode_change(const ptx::Instruction& instruction);
  bool bind_ignored(std::span<const ptx::Operand> operands, BulkCopy& copy);
  bool bind_signal(const InstructionForm& form, std::span<const ptx::Operand> behind, BulkSignal& signal);
  bool bind_offsets(std::span<const ptx::Operand> operands, const InstructionForm& form, TensorCopy& copy);
  bool bind_behind(std::span<const ptx::Operand> operands, const InstructionForm& form, TensorCopy& copy);
  bool bind_tile(const ptx::Operand& tile, const InstructionForm& form, TensorCopy& copy);

  const ptx::Function& kernel_;
  SlotTable& slots_;
  Program& program_;
  MemoryDecoder memory_;
};

} // namespace kerncast::warp
