// Where brx.idx and calls through registers lead.
#pragma once

#include <string>

#include "warp/lane_file.h"
#include "warp/program.h"

namespace kerncast::warp {

// Lanes whose index is that of target `i`.
LaneMask lanes_going_to(const Terminator& branch, std::uint32_t i, LaneFile& file);

// What went wrong, and a note on it, in a lane whose index has no target, which the manual leaves undefined.
struct NoTarget {
  std::string what, note;
};
NoTarget no_target(const Terminator& branch, std::uint32_t lane, LaneFile& file);

} // namespace kerncast::warp
