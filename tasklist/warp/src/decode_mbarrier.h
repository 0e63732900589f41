// Turns mbarrier and cp.async.mbarrier.arrive into operations.
//
// Left out: arrivals that must not complete.
#pragma once

#include "decode_memory.h"

namespace kerncast::warp {

class MbarrierDecoder {
public:
  MbarrierDecoder(const ptx::Function& kernel, SlotTable& slots, Program& program)
      : kernel_(kernel), slots_(slots), program_(program), memory_(kernel, slots, program) {}

  static bool is_mbarrier(const ptx::Function& kernel, const ptx::Instruction& instruction);
  // Empty for forms that are not supported.
  std::optional<Step> decode(const ptx::Instruction& instruction);

private:
  std::optional<MbarrierOp> decode_operation(const ptx::Instruction& instruction);
  std::optional<MbarrierOp> decode_copy_arrival(const ptx::Instruction& instruction);
  std::optional<Step> decode_pending_count(const ptx::Instruction& instruction);
  bool bind(const ptx::Instruction& instruction, MbarrierOp& op, bool has_destination, ptx::Type value_type);

  const ptx::Function& kernel_;
  SlotTable& slots_;
  Program& program_;
  MemoryDecoder memory_;
};

} // namespace kerncast::warp
