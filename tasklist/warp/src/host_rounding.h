// The directed roundings .rz, .rm and .rp, by the host's rounding mode.
#pragma once

#include <cfenv>

#include "select_operation.h"

namespace kerncast::warp {

inline int host_rounding(const InstructionForm& form) {
  if (form.has(ptx::Modifier::rz))
    return FE_TOWARDZERO;
  if (form.has(ptx::Modifier::rm))
    return FE_DOWNWARD;
  return form.has(ptx::Modifier::rp) ? FE_UPWARD : FE_TONEAREST;
}

// MicroOp::inner under the mode that is MicroOp::immediate.
inline void in_host_mode(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  std::fesetround(static_cast<int>(op.immediate));
  op.inner(file, op, destination);
  std::fesetround(FE_TONEAREST);
}

// Lets a selected operation run under a mode.
inline void set_rounding(Selection& selection, int rounding) {
  if (rounding == FE_TONEAREST)
    return;
  selection.inner = selection.apply;
  selection.apply = in_host_mode;
  selection.immediate = static_cast<std::uint32_t>(rounding);
}

} // namespace kerncast::warp
