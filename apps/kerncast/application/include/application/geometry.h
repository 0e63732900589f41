// Which grids and CTAs exist at all (CUDA programming guide, technical specifications per compute
// capability: the same from 3.5 to 9.0). What one GPU can hold is for its occupancy to say.
#pragma once

#include <string>

#include "tasklist/launch.h"

namespace kerncast::application {

inline constexpr std::uint64_t max_grid[3] = {2147483647, 65535, 65535};
inline constexpr std::uint64_t max_block[3] = {1024, 1024, 64};
inline constexpr std::uint64_t max_threads_per_cta = 1024;
inline constexpr std::uint64_t max_ctas_per_cluster = 16; // where the host allows more than 8
// Ours: beyond it counts of instructions would not fit their integers, and no device would ever finish.
inline constexpr std::uint64_t max_ctas = std::uint64_t{1} << 40;

// What is wrong with the geometry, "" if nothing.
std::string grid_error(const std::uint64_t (&extent)[3]);
std::string block_error(const std::uint64_t (&extent)[3]);
std::string cluster_error(const std::uint64_t (&extent)[3]);

tasklist::Dim3 to_dim3(const std::uint64_t (&extent)[3]);

} // namespace kerncast::application
