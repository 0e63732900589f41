// From the addresses of a warp's lanes to the shape that a behaviour keeps.
#pragma once

#include "tasklist/behaviour.h"
#include "warp/lane_file.h"

namespace kerncast::warp {

// Of the caches between an SM and global memory.
inline constexpr std::uint64_t sector_bytes = 32, line_bytes = 128;

// Local memory as the hardware lays it out: a thread's element is next to the same element of its
// neighbours (CUDA C++ Programming Guide, local memory). `bytes`: of the access, per lane.
void interleave(Lanes<std::uint64_t>& addresses, LaneMask lanes, std::uint16_t bytes);

// Fills a shape's offsets: addresses relative to the 128-byte line of the lowest active lane, 0 for the
// inactive. At least one lane is active.
void make_relative(const Lanes<std::uint64_t>& addresses, LaneMask lanes, tasklist::AddressShape& shape);

} // namespace kerncast::warp
