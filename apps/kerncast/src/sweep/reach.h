// How far a changed key of the GPU reaches: what need not be computed again.
//
// Only keys that are known to change nothing are named; every other one, a new one too, counts as reaching.
#pragma once

#include <string>
#include <string_view>

#include "configs/gpu.h"

namespace kerncast::app {

// Machine programs: units, latencies of results, register pressure.
bool reaches_programs(std::string_view key);
// Hit rates, beside what machine programs and occupancy say about them: caches and who shares them.
bool reaches_hits(std::string_view key);
// Of these, those that also reach what L1s let through: L2s do not.
bool reaches_l1_hits(std::string_view key);

// The values of all keys that reach, as text to compare.
std::string values_that_reach(const configs::Gpu& gpu, bool (*reaches)(std::string_view key));

} // namespace kerncast::app
