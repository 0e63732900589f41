// Turns calls of the driver's functions, all that inlining leaves of calls, into operations.
#pragma once

#include <optional>

#include "slots.h"
#include "warp/system_call_op.h"

namespace kerncast::warp {

// Empty for functions that execution does not know.
std::optional<SystemCall> decode_system_call(const ptx::Function& kernel, const ptx::Instruction& instruction,
                                             SlotTable& slots);

} // namespace kerncast::warp
