// Sweep files in tests: what they say, or what is said about them.
#pragma once

#include <memory>
#include <string>

#include "sweep/plan.h"
#include "sweep/sweep_file.h"

namespace kerncast::sweep::test {

inline const std::string head = "[sweep]\nbase = [\"unit\"]\napps = [\"a.json\"]\n";

inline Expected<SweepFile> read(const std::string& text) {
  return read_sweep(std::make_shared<const SourceText>("s.toml", text));
}

inline Expected<Plan> plan(const std::string& text) {
  const configs::ConfigPath shipped({KERNCAST_SOURCE_DIR "/configs"});
  return read(text).and_then([&](const SweepFile& sweep) { return make_plan(sweep, shipped); });
}

inline std::string errors(const std::string& text) {
  const Expected<Plan> made = plan(text);
  return made ? "" : render(made.error());
}

// One line a point.
inline std::string points(const std::string& text) {
  const Expected<Plan> made = plan(text);
  if (!made)
    return render(made.error());
  std::string lines;
  for (const Point& point : made->points)
    lines += text_of(point) + '\n';
  return lines;
}

} // namespace kerncast::sweep::test
