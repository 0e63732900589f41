// Identity and expected cost of an SM workload, so that equal ones are simulated once and long ones first.
#pragma once

#include <compare>
#include <cstdint>

#include "engine/sm_workload.h"

namespace kerncast::engine {

// 128-bit hash of everything simulate_sm reads. Equal workloads have equal keys on every machine.
struct WorkloadKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const WorkloadKey&, const WorkloadKey&) = default;
};
WorkloadKey workload_key(const SmWorkload& workload);

// Warp instructions that simulate_sm will step through.
std::uint64_t expected_instructions(const SmWorkload& workload);

} // namespace kerncast::engine
