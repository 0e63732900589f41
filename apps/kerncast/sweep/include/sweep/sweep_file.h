// A sweep file as it is written: which applications on which GPUs, and how the GPUs are changed.
//
//   [sweep]
//   name = "memory of an A100"
//   base = ["a100-sxm4-40gb"]            # GPUs of the database, or GPU files
//   apps = ["pathfinder/app.json"]       # relative to this file
//   sampling = "grid"                    # latin-hypercube, sobol, search: with points = N and seed = N
//   [axes]
//   l2.mib = [20, 40, 80]
//   dram.bandwidth_gbps = { from = 800, to = 3200, steps = 5, scale = "geometric", round = 1 }
//   l2.latency = { with = "l2.mib", values = [180, 200, 230] } # moves together with l2.mib
//   memory.in_flight_bytes_per_sm = { expression = "32 * l2.mib", round = 1 }
//   [uncertain]
//   dram.latency = 0.1                                         # may be a tenth more or less
//   [derived]
//   area_mm2 = "sms * 4.6 + l2.mib * 1.1"
//   [constraints]
//   area = "area_mm2 <= 500"
//   [objectives]
//   time = "total_time_us"                                           # smaller is better
//   frames = { maximize = "1e6 / total_time_us" }
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/diagnostics.h"
#include "sweep/expression.h"

namespace kerncast::sweep {

struct Text { // and where it stands
  std::string text;
  Place place;
  std::uint32_t length = 1;
};

enum class Sampling : std::uint8_t { grid, latin_hypercube, sobol, one_at_a_time, search };

struct Range {
  double from = 0;
  double to = 0;
  bool geometric = false;
};

// One key of the GPU description and the values it takes: a list, a range or an expression.
struct AxisKey {
  Text key;
  std::vector<Text> values;
  std::optional<Range> range;
  std::optional<Expression> expression;
  std::optional<double> round; // values become multiples of it
};

// Keys that move together; each has as many values.
struct Axis {
  std::vector<AxisKey> keys; // the first gives the axis its name
  std::size_t steps = 0;     // 0: a range of which no steps are stated
  bool continuous = false;   // ranges
};

// A key whose value may be so much more or less, as a share of it.
struct Uncertain {
  Text key;
  double error = 0;
  std::optional<double> round; // values become multiples of it
};

struct NamedExpression {
  Text name;
  Expression expression;
};

struct Objective {
  Text name;
  Expression expression;
  bool maximize = false;
};

struct SweepFile {
  std::shared_ptr<const SourceText> source;
  std::string name;
  std::vector<Text> bases;
  std::vector<Text> apps;
  Sampling sampling = Sampling::grid;
  std::size_t points = 0; // of latin_hypercube and sobol; of search: at most so many are predicted
  std::uint64_t seed = 0;
  std::vector<Axis> axes;        // in the order of their names, as all that follows
  std::vector<AxisKey> computed; // keys that are expressions
  std::vector<Uncertain> uncertain;
  std::size_t samples = 16; // of the uncertain keys' values
  std::vector<NamedExpression> derived;
  std::vector<NamedExpression> constraints;
  std::vector<Objective> objectives;
};

// Beyond these a file is a mistake.
inline constexpr std::size_t most_points = 1'000'000;
inline constexpr std::size_t most_samples = 1'000;

// A path that the file names: relative to its folder, else to the current one.
std::string path_of(const SourceText& source, const std::string& path);

// Every error that can be found without the GPUs.
Expected<SweepFile> read_sweep(std::shared_ptr<const SourceText> source);

} // namespace kerncast::sweep
