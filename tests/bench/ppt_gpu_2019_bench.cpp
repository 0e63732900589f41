// CPU time of the ppt-gpu-2019 model against that of the published tool under CPython 2.7, per recorded file.
//
// Each input is read once and predicted for at least 50 ms of CPU time; the mean counts. The recorded times
// are of another machine: ratios far above the 100 that is asked for, not exact factors, are the point.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cpu_time.h"
#include "ppt_gpu_2019/model.h"
#include "ppt_gpu_2019/reader.h"
#include "support/files.h"

namespace {

using namespace kerncast;
using bench::cpu_seconds;

// Mean CPU time of one call.
template <class F> double cpu_time_of(F&& call) {
  constexpr double enough = 0.05;
  const double start = cpu_seconds();
  int calls = 0;
  double spent = 0;
  while (spent < enough) {
    call();
    ++calls;
    spent = cpu_seconds() - start;
  }
  return spent / calls;
}

// Smallest ratio seen so far, or nothing if the file is unusable.
std::optional<double> measure(const std::filesystem::path& path) {
  const Expected<SourceText> source = read_source(path);
  const auto file = source.and_then(ppt_gpu_2019::read_lanl_file);
  if (!file || !file->recording || !file->recording->python27_cpu_s) {
    fmt::print(stderr, "error: {} has no recorded CPU time\n", path.string());
    return std::nullopt;
  }
  const double read_s = cpu_time_of([&] { return ppt_gpu_2019::read_lanl_file(*source); });
  const double predict_s = cpu_time_of([&] { return ppt_gpu_2019::predict(file->input); });
  const double recorded_s = *file->recording->python27_cpu_s;
  fmt::print("{:28} {:11.1f} {:9.1f} {:11.1f} {:8.0f} {:14.0f}\n", path.stem().string(), recorded_s * 1e6,
             read_s * 1e6, predict_s * 1e6, recorded_s / predict_s, recorded_s / (read_s + predict_s));
  return recorded_s / predict_s;
}

} // namespace

int main() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(KERNCAST_SOURCE_DIR "/tests/data/ppt_lanl"))
    if (entry.path().extension() == ".json")
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  fmt::print("{:28} {:>11} {:>9} {:>11} {:>8} {:>14}\n", "file", "CPython us", "read us", "predict us",
             "ratio", "ratio w. read");
  double least = 1e300;
  for (const auto& path : paths) {
    const std::optional<double> ratio = measure(path);
    if (!ratio)
      return 1;
    least = std::min(least, *ratio);
  }
  fmt::print("least ratio {:.0f}\n", least);
  return 0;
}
