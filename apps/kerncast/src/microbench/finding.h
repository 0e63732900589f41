// What a microbenchmark found on a described GPU, beside what the description says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kerncast::app {

struct Finding {
  std::string_view family; // "latency"
  std::string name;        // "fma.rn.f32", "l2"
  std::string_view unit;   // "cycles"
  double found = 0;
  double described = 0;
  double tolerance = 0; // relative; 0: exactly

  double error() const { return found / described - 1; }
  bool agrees() const { return error() <= tolerance && error() >= -tolerance; }
};

using Findings = std::vector<Finding>;

} // namespace kerncast::app
