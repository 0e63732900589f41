// How far a value of a description may lie from the real machine's.
#pragma once

#include <string_view>

#include "configs/gpu.h"

namespace kerncast::configs {

// Of values that do not state theirs ("# measured +-3 %: source"). Guesses are mostly what another generation
// has: of 79 latencies and rates that were measured on two neighbouring generations of this database two
// thirds lie within 26 % of each other. That measurements are good to 6 % is a convention: A100's latencies
// of L1 and L2 from two sources differ by 0.3 and 3 %, but a boosted clock or the near or far half of L2 by
// more.
inline constexpr double error_of_measurements = 0.06;
inline constexpr double error_of_guesses = 0.25;

// One standard error as a share of the key's value. What a file specifies, what --set or a file of the user
// states without a mark, what follows from others and defaults are taken as exact.
double standard_error(const Gpu& gpu, std::string_view key);

} // namespace kerncast::configs
