// A walk through memory in which each load finds the address of the next (apps/microbench/memory): latencies
// of what fits and of what never hits, and sizes by walks there and back.
//
// A walk through more cells than a cache has lines, and then through them in the opposite order, finds on its
// way back what was kept last: with least recently used lines as many as the cache has, whatever set they lie
// in. Where any line may go it finds fewer, as what it misses drives out what it would have found. How many
// cells just fit is then looked for near there: of one too many all miss where least recently used lines go;
// where any line may go a share m does, of which 1 - m = exp(-m cells / lines): two loads a time through.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "configs/l1_size.h"
#include "described.h"
#include "families.h"
#include "measurements.h"
#include "repeated.h"

namespace kerncast::app {
namespace {

// Cells lie a line apart, or as far as they are long, and each one leads to another that is far away.
constexpr std::uint32_t cell_bytes = 32;
struct Walk {
  std::string_view kernel;
  std::uint32_t line_bytes = 128;

  Walk(std::string_view the_kernel, const configs::Cache& cache)
      : kernel(the_kernel), line_bytes(std::max(cell_bytes, cache.line_bytes)) {}
};

std::uint32_t whole_trips(std::uint32_t loads) {
  constexpr std::uint32_t loads_per_trip = 8;
  return (loads + loads_per_trip - 1) / loads_per_trip * loads_per_trip;
}

std::uint32_t step_for(std::uint32_t cells) {
  auto step = static_cast<std::uint32_t>(std::uint64_t{cells} * 5 / 8) | 1U;
  while (std::gcd(step, cells) != 1)
    step += 2;
  return step % cells;
}

// One cycle through all cells by their first words, from the first cell on, and back by their second ones.
Experiment link(const Walk& walk, std::uint32_t cells, std::uint32_t step) {
  tasklist::Launch launch;
  launch.grid.x = (cells + usual_threads - 1) / usual_threads;
  launch.block.x = usual_threads;
  launch.arguments = {buffer_argument(0, std::uint64_t{cells} * walk.line_bytes), argument(cells),
                      argument(step), argument(walk.line_bytes / 8)};
  return {"link", launch};
}

// The last cell's first word leads to its second one.
Experiment turn(const Walk& walk, std::uint32_t cells, std::uint32_t last) {
  tasklist::Launch launch;
  launch.arguments = {buffer_argument(0, std::uint64_t{cells} * walk.line_bytes)};
  launch.arguments.front().bits = std::uint64_t{last} * walk.line_bytes;
  return {"turn", launch};
}

enum class Way : std::uint8_t { around, there_and_back };

Expected<double> walk_cycles(const Laboratory& laboratory, const Walk& walk, Way way, std::uint32_t cells,
                             std::uint32_t loads) {
  const std::uint64_t bytes = std::uint64_t{cells} * walk.line_bytes;
  const std::uint32_t step = step_for(cells);
  tasklist::Launch chase;
  chase.arguments = {buffer_argument(0, bytes), buffer_argument(1, 8), argument(loads)};
  std::vector<Experiment> launches = {link(walk, cells, step)};
  if (way == Way::there_and_back)
    launches.push_back(turn(walk, cells, cells - step));
  launches.push_back({walk.kernel, chase});
  const auto prediction = laboratory.run(launches, {bytes, 8});
  if (!prediction)
    return tl::unexpected(prediction.error());
  return prediction->cycles;
}

// Cycles per load after the first time through, of so many loads that the walk's ends do not count.
Expected<double> latency_of(const Laboratory& laboratory, const Walk& walk, std::uint32_t cells) {
  constexpr std::uint32_t enough = 16384;
  const std::uint32_t first = whole_trips(cells);
  const std::uint32_t more = whole_trips(cells * std::max(1U, enough / cells));
  const Expected<double> once = walk_cycles(laboratory, walk, Way::around, cells, first);
  const Expected<double> often = walk_cycles(laboratory, walk, Way::around, cells, first + more);
  if (!once || !often)
    return tl::unexpected(once ? often.error() : once.error());
  return (*often - *once) / more;
}

// Cycles per load on the way back through all cells.
Expected<double> latency_back(const Laboratory& laboratory, const Walk& walk, std::uint32_t cells) {
  const Expected<double> there = walk_cycles(laboratory, walk, Way::there_and_back, cells, cells);
  const Expected<double> both = walk_cycles(laboratory, walk, Way::there_and_back, cells, 2 * cells);
  if (!there || !both)
    return tl::unexpected(there ? both.error() : there.error());
  return (*both - *there) / cells;
}

// A cache as the description states it.
struct Lines {
  std::uint32_t count = 0;
  std::uint32_t of_set = 0; // all, where any line may lie anywhere
  configs::Replacement replacement = configs::Replacement::lru;

  bool in_sets() const { return of_set < count; }
};

Lines lines_of(const configs::Cache& cache, std::uint64_t bytes) {
  const auto count = static_cast<std::uint32_t>(bytes / cache.line_bytes);
  return {count, cache.ways == 0 ? count : std::min(cache.ways, count), cache.replacement};
}

// So many that none is in the cache when its turn comes again, or one in 50 where any line may go, and that
// every set has more than it holds.
std::uint32_t cells_beyond(const Lines& lines) {
  constexpr std::uint32_t few_ways = 4;
  const bool lru = lines.replacement == configs::Replacement::lru;
  double times = lru ? 1.5 : 4;
  if (lines.in_sets())
    times = lru && lines.of_set >= few_ways ? 4 : 8;
  return whole_trips(static_cast<std::uint32_t>(times * lines.count));
}

// So few that all of them fit. Two of them may already want the same place where sets are chosen by a hash.
std::uint32_t cells_within(const Lines& lines) {
  constexpr std::uint32_t usual = 64;
  return lines.in_sets() ? 1 : std::clamp(lines.count / 2, 1U, usual);
}

// Of a set's lines, the share that is found on the way back through many more. A line is there if none of the
// misses since its turn has driven it out.
double share_found_back(const Lines& lines) {
  if (lines.replacement == configs::Replacement::lru)
    return 1;
  const double stays = 1 - 1.0 / lines.of_set;
  double found = 0;
  double missed_since = 0;
  for (double there = 1; there > 1e-9; there = std::pow(stays, missed_since)) {
    found += there;
    missed_since += 1 + (1 - there); // on the way there and on the way back
  }
  return found / lines.of_set;
}

struct Ends {
  double hit = 0; // cycles
  double miss = 0;
};

// The most cells of which no load misses, looked for from a guess on and below `too_many`.
Expected<std::uint32_t> most_that_fit(const Laboratory& laboratory, const Walk& walk, double limit,
                                      std::uint32_t guess, std::uint32_t too_many) {
  std::uint32_t fits = 0;
  std::uint32_t cells = guess;
  for (std::uint32_t step = 1; too_many - fits > 1; step *= 2) {
    if (cells <= fits || cells >= too_many)
      cells = fits + (too_many - fits) / 2;
    const Expected<double> latency = latency_of(laboratory, walk, cells);
    if (!latency)
      return tl::unexpected(latency.error());
    const bool misses = *latency > limit;
    (misses ? too_many : fits) = cells;
    cells = misses ? cells - std::min(cells, step) : cells + step;
  }
  return fits;
}

// Lines of a cache of which all loads take `ends.hit` cycles where they fit.
Expected<std::uint32_t> count_lines(const Laboratory& laboratory, const Walk& walk, const Lines& lines,
                                    const Ends& ends) {
  const std::uint32_t many = cells_beyond(lines);
  const Expected<double> back = latency_back(laboratory, walk, many);
  if (!back)
    return tl::unexpected(back.error());
  const double found = many * (ends.miss - *back) / (ends.miss - ends.hit) / share_found_back(lines);
  const auto guess = static_cast<std::uint32_t>(std::lround(std::clamp<double>(found, 1, many)));
  if (lines.in_sets())
    return guess;
  const double share_of_misses = lines.replacement == configs::Replacement::lru ? 0.5 : 1.0 / 2048;
  return most_that_fit(laboratory, walk, ends.hit + (ends.miss - ends.hit) * share_of_misses, guess, many);
}

// Each of the eight loads of a trip has hits of its own, of which a part of one may be lost; where any line
// may go, how many are found is a matter of chance.
double tolerance_of_size(const Lines& lines) {
  if (!lines.in_sets())
    return 0;
  return lines.replacement == configs::Replacement::lru ? 0.005 + 8.0 / lines.count
                                                        : 0.02 + 2 / std::sqrt(lines.count);
}

class Levels {
public:
  explicit Levels(const Laboratory& laboratory) : laboratory_(laboratory), gpu_(laboratory.gpu()) {}

  Expected<Findings> find() {
    const Walk past_l1("chase_l2", gpu_.l2);
    const Lines l2 = lines_of(gpu_.l2, gpu_.l2.bytes);
    const Expected<double> dram = latency_of(laboratory_, past_l1, cells_beyond(l2));
    if (!dram)
      return tl::unexpected(dram.error());
    latency("dram", *dram, described_chain_latency(gpu_));
    if (auto found = cache("l2", past_l1, gpu_.l2, gpu_.l2.bytes, gpu_.l2_latency(), *dram); !found)
      return tl::unexpected(found.error());
    if (gpu_.l1_caches_global && gpu_.l1.bytes > 0)
      if (auto found = find_l1(); !found)
        return tl::unexpected(found.error());
    return std::move(findings_);
  }

private:
  // As large as where a kernel needs no shared memory.
  Expected<void> find_l1() {
    const Walk walk("chase", gpu_.l1);
    const std::uint64_t bytes = configs::l1_bytes(gpu_, 1, 0);
    const Expected<double> miss = latency_of(laboratory_, walk, cells_beyond(lines_of(gpu_.l1, bytes)));
    if (!miss)
      return tl::unexpected(miss.error());
    return cache("l1", walk, gpu_.l1, bytes, gpu_.l1.latency, *miss);
  }

  void latency(const std::string& name, double found, double described) {
    findings_.push_back({"latency", name, "cycles", found, described, usual_tolerance});
  }

  Expected<void> cache(const std::string& name, const Walk& walk, const configs::Cache& cache,
                       std::uint64_t bytes, double described_latency, double miss) {
    const Lines lines = lines_of(cache, bytes);
    const Expected<double> hit = latency_of(laboratory_, walk, cells_within(lines));
    if (!hit)
      return tl::unexpected(hit.error());
    latency(name, *hit, described_latency);
    Finding size = {"size", name, "KiB", {}, static_cast<double>(bytes) / 1024, tolerance_of_size(lines)};
    if (cache.line_bytes < cell_bytes) {
      size.untold = "its lines are shorter than what is written at a time";
    } else if (can_be_told_apart(*hit, miss)) {
      const Expected<std::uint32_t> count = count_lines(laboratory_, walk, lines, {*hit, miss});
      if (!count)
        return tl::unexpected(count.error());
      size.found = static_cast<double>(std::uint64_t{*count} * walk.line_bytes) / 1024;
    } else {
      size.untold = hit_is_as_slow;
    }
    findings_.push_back(std::move(size));
    return {};
  }

  const Laboratory& laboratory_;
  const configs::Gpu& gpu_;
  Findings findings_;
};

} // namespace

Expected<double> cycles_per_dram_load(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  return latency_of(laboratory, Walk("chase_l2", gpu.l2), cells_beyond(lines_of(gpu.l2, gpu.l2.bytes)));
}

Expected<double> cycles_per_private_load(const Laboratory& laboratory) {
  constexpr std::uint32_t loads_per_trip = 8;
  tasklist::Launch launch;
  launch.block.x = tasklist::lanes_per_warp;
  launch.arguments = {buffer_argument(0, 4096), argument(37)};
  const Expected<double> trip =
      cycles_per_trip(laboratory, {.kernel = "chase_private", .launch = launch, .buffers = {4096}});
  return trip ? *trip / loads_per_trip : trip;
}

Expected<Findings> find_memory_levels(const Laboratory& laboratory) { return Levels(laboratory).find(); }

} // namespace kerncast::app
