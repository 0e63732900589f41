// Where the real time of a launch is to be expected.
#pragma once

#include <string>
#include <vector>

namespace kerncast::engine {

// Of the real times this share is meant to lie inside.
inline constexpr double interval_level = 0.9;
// Standard errors on either side of the middle that hold so much of a normal distribution.
inline constexpr double interval_deviations = 1.645;

// What one thing alone does to the cycles at interval_level: 0.04 slower is "may take 4 % more".
struct ErrorSource {
  std::string source;
  double slower = 0;
  double faster = 0;
};

// In shares of what is predicted, cycles as well as time.
struct Interval {
  double low = 1;
  double high = 1;
  std::vector<ErrorSource> sources; // the model's own first, then largest first
};

} // namespace kerncast::engine
