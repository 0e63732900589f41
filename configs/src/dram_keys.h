// DRAM keys and factors that the checks and what follows from a --set have in common.
#pragma once

#include <cstdint>

namespace kerncast::configs {

inline constexpr double bits_per_byte = 8;
inline constexpr std::uint32_t lanes_per_warp = 32;
inline constexpr double mhz_per_ghz = 1e3;
inline constexpr auto bandwidth_key = "dram.bandwidth_gbps";
inline constexpr auto bus_key = "dram.bus_width_bits";
inline constexpr auto rate_key = "dram.data_rate_gtps";
inline constexpr auto memory_clock_key = "dram.clock_mhz";
inline constexpr auto transfers_key = "dram.transfers_per_clock";

} // namespace kerncast::configs
