// Time inside one SM, as whole numbers: sums are exact, a period is equally long wherever it begins, and the
// later of two times is one comparison.
//
// The unit is 2^-20 cycles. Times are multiples of 2^-15 cycles; the five bits below hold why something is
// waited for, so that the later of two waits brings its reason along. Every duration of a workload is rounded
// to 2^-15 cycles once, when the SM is laid out. 2^43 cycles, more than an hour of any GPU, fit.
#pragma once

#include <cstdint>

#include "engine/sm_workload.h"

namespace kerncast::engine {

using Time = std::int64_t;

inline constexpr int cycle_bits = 20;
inline constexpr int reason_bits = 5;
inline constexpr Time one_cycle = Time{1} << cycle_bits;
inline constexpr Time reason_mask = (Time{1} << reason_bits) - 1;
static_assert(warp_states <= (std::size_t{1} << reason_bits));

// Times are never negative, so adding a half rounds to the nearest.
inline Time to_time(double cycles) {
  constexpr double steps_per_cycle = 1 << (cycle_bits - reason_bits);
  return static_cast<Time>(cycles * steps_per_cycle + 0.5) << reason_bits;
}
inline double to_cycles(Time time) { return static_cast<double>(time) / static_cast<double>(one_cycle); }
inline std::int64_t cycle_of(Time time) { return time >> cycle_bits; }
inline Time begin_of(std::int64_t cycle) { return cycle << cycle_bits; }

// Times that others will tell, and which: later than all that are known.
inline constexpr Time first_unknown_time = Time{1} << 61;
inline bool is_known(Time time) { return time < first_unknown_time; }
inline Time unknown_time(std::uint32_t number) { return first_unknown_time + (Time{number} << reason_bits); }
inline std::uint32_t unknown_number(Time time) {
  return static_cast<std::uint32_t>((time - first_unknown_time) >> reason_bits);
}

// A time and what is waited for until then.
inline Time because(Time time, WarpState reason) { return time | static_cast<Time>(reason); }
inline Time without_reason(Time time) { return time & ~reason_mask; }
inline std::size_t reason_of(Time time) { return static_cast<std::size_t>(time & reason_mask); }

} // namespace kerncast::engine
