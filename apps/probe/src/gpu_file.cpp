#include "probe/gpu_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace kerncast::probe {
namespace {

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + '"';
}

// At least a tenth of a percent: what the clock was is not known better.
std::string error_percent(const Median& median) {
  constexpr double least = 0.001;
  return number(100 * std::max(least, median.relative_error()), 2);
}

std::string line_of(const MeasuredKey& one) {
  const Median& m = one.median;
  return one.key + " = " + number(m.value, 5) + " # measured +-" + error_percent(m) + " %: kerncast-probe, " +
         one.how + ", median of " + std::to_string(m.samples) + ", 95 % between " + number(m.low, 5) +
         " and " + number(m.high, 5) + "\n";
}

} // namespace

std::string base_of(int major, int minor) {
  struct Base {
    int major, minor;
    const char* name;
  };
  constexpr Base bases[] = {{7, 0, "v100-sxm2-16gb"}, {7, 5, "t4"},  {8, 0, "a100-sxm4-40gb"},
                            {8, 6, "rtx3090"},        {8, 9, "l40"}, {9, 0, "h100-sxm"},
                            {10, 0, "b200"}};
  const auto* found =
      std::ranges::find_if(bases, [&](const Base& b) { return b.major == major && b.minor == minor; });
  return found == std::end(bases) ? std::string() : found->name;
}

std::string gpu_file(const MeasuredGpu& gpu) {
  std::string text =
      "# " + gpu.product + ", measured by kerncast-probe.\ninherits = " + quoted(gpu.inherits) +
      (gpu.why.empty() ? "" : " # guess: " + gpu.why) + "\nproduct = " + quoted(gpu.product) + "\n";
  for (const QueriedKey& one : gpu.queried)
    text += one.key + " = " + one.value + " # specified: device query\n";
  for (const MeasuredKey& one : gpu.measured)
    text += line_of(one);
  return text;
}

std::string report(const MeasuredGpu& gpu) {
  std::string text = gpu.product + "\n";
  for (const MeasuredKey& one : gpu.measured) {
    char line[256];
    std::snprintf(line, sizeof line, "  %-28s %12.5g   95 %% %.5g to %.5g   %s\n", one.key.c_str(),
                  one.median.value, one.median.low, one.median.high, one.how.c_str());
    text += line;
  }
  return text;
}

} // namespace kerncast::probe
