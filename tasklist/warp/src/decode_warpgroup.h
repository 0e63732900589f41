// Turns wgmma.mma_async into an operation of a warpgroup.
#pragma once

#include "slots.h"
#include "warp/wgmma_op.h"

namespace kerncast::warp {

// Fences, commits and waits, which have nothing to do.
bool only_orders_warpgroups(const ptx::Function& kernel, const ptx::Instruction& instruction);

// Empty for forms that are not supported.
std::optional<WarpgroupOp> decode_warpgroup(const ptx::Function& kernel, const ptx::Instruction& instruction,
                                            SlotTable& slots);

} // namespace kerncast::warp
