// What a microbenchmark found on a described GPU, beside what the description says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kerncast::app {

struct Finding {
  std::string_view family;     // "latency"
  std::string name;            // "fma.rn.f32", "l2"
  std::string_view unit;       // "cycles"
  std::optional<double> found; // nothing: cannot be told
  double described = 0;
  double tolerance = 0;         // relative; 0: exactly
  std::string_view untold = {}; // why it cannot be told

  double error() const { return found.value_or(0) / described - 1; }
  bool agrees() const { return found && error() <= tolerance && error() >= -tolerance; }
};

using Findings = std::vector<Finding>;

} // namespace kerncast::app
