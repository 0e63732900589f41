// The published tool's loop written down plainly: every warp is looked at in every cycle, every slot and
// every queue entry is kept. Slow, and meant to be compared with.
#pragma once

#include "ppt_gpu_2019/model.h"

namespace kerncast::ppt_gpu_2019 {

// Fills cycles, block ends and issue events for the given number of blocks.
Result plain_stepping(const Input& input, std::uint32_t blocks);

} // namespace kerncast::ppt_gpu_2019
