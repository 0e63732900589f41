// DRAM keys, factors and limits that the checks and what follows from a --set have in common.
#pragma once

#include <cstdint>

namespace kerncast::configs {

inline constexpr double bits_per_byte = 8;
inline constexpr std::uint64_t bytes_per_kib = 1024;
inline constexpr std::uint64_t lanes_per_warp = 32;
inline constexpr double mhz_per_ghz = 1e3;
inline constexpr double tolerance = 0.02; // data sheets round
inline constexpr auto bandwidth_key = "dram.bandwidth_gbps";
inline constexpr auto bus_key = "dram.bus_width_bits";
inline constexpr auto rate_key = "dram.data_rate_gtps";
inline constexpr auto memory_clock_key = "dram.clock_mhz";
inline constexpr auto transfers_key = "dram.transfers_per_clock";

} // namespace kerncast::configs
