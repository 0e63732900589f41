// How far a value of a description may lie from the real machine's.
#pragma once

#include <string_view>

#include "configs/gpu.h"

namespace kerncast::configs {

// Of values that do not state theirs ("# measured +-3 %: source"). Published measurements of one latency or
// bandwidth mostly lie within 10 % of each other (of the 90 % of them, 1.6 standard errors); a value that was
// carried over from another generation within 40 %.
inline constexpr double error_of_measurements = 0.06;
inline constexpr double error_of_guesses = 0.25;

// One standard error as a share of the key's value. What a file specifies, what --set or a file of the user
// states without a mark, what follows from others and defaults are taken as exact.
double standard_error(const Gpu& gpu, std::string_view key);

} // namespace kerncast::configs
