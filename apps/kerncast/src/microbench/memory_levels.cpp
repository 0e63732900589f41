// A walk through memory in which each load finds the address of the next (apps/microbench/memory). After the
// first time through all cells everything that fits is in the cache. Of what does not fit, all of a cycle
// misses where least recently used lines go; where any line may go a share m does, of which
// 1 - m = exp(-m cells / lines): of one line too many, two loads a time through.
#include <algorithm>
#include <numeric>

#include "configs/l1_size.h"
#include "families.h"
#include "measurements.h"
#include "repeated.h"

namespace kerncast::app {
namespace {

// Of the loads of a walk that does not fit miss at least so many. Less is not told from the walk's ends.
constexpr double share_of_misses = 1.0 / 2048;

// Cells lie a line apart, and each one leads to another that is far away.
struct Walk {
  std::string_view kernel;
  std::uint32_t line_bytes = 128;
};

std::uint32_t step_for(std::uint32_t cells) {
  auto step = static_cast<std::uint32_t>(std::uint64_t{cells} * 5 / 8) | 1U;
  while (std::gcd(step, cells) != 1)
    step += 2;
  return step % cells;
}

Expected<double> walk_cycles(const Laboratory& laboratory, const Walk& walk, std::uint32_t cells,
                             std::uint32_t loads) {
  const std::uint64_t bytes = std::uint64_t{cells} * walk.line_bytes;
  tasklist::Launch link;
  link.grid.x = (cells + usual_threads - 1) / usual_threads;
  link.block.x = usual_threads;
  link.arguments = {buffer_argument(0, bytes), argument(cells), argument(step_for(cells)),
                    argument(walk.line_bytes / 8)};
  tasklist::Launch chase;
  chase.arguments = {buffer_argument(0, bytes), buffer_argument(1, 8), argument(loads)};
  const auto prediction = laboratory.run({{"link", link}, {walk.kernel, chase}}, {bytes, 8});
  if (!prediction)
    return tl::unexpected(prediction.error());
  return prediction->cycles;
}

// Cycles per load after the first time through, of so many loads that the walk's ends do not count.
Expected<double> latency_of(const Laboratory& laboratory, const Walk& walk, std::uint32_t cells) {
  constexpr std::uint32_t enough = 16384;
  constexpr std::uint32_t loads_per_trip = 8;
  const auto whole_trips = [](std::uint32_t loads) {
    return (loads + loads_per_trip - 1) / loads_per_trip * loads_per_trip;
  };
  const std::uint32_t first = whole_trips(cells);
  const std::uint32_t more = whole_trips(cells * std::max(1U, enough / cells));
  const Expected<double> once = walk_cycles(laboratory, walk, cells, first);
  const Expected<double> often = walk_cycles(laboratory, walk, cells, first + more);
  if (!once || !often)
    return tl::unexpected(once ? often.error() : once.error());
  return (*often - *once) / more;
}

// The most cells of which all loads take `hit` cycles and none takes `miss`.
Expected<std::uint64_t> size_of(const Laboratory& laboratory, const Walk& walk, double hit, double miss) {
  const double limit = hit + (miss - hit) * share_of_misses;
  std::uint32_t fits = 16, too_many = 32;
  for (;; too_many *= 2) {
    const Expected<double> latency = latency_of(laboratory, walk, too_many);
    if (!latency)
      return tl::unexpected(latency.error());
    if (*latency > limit)
      break;
    fits = too_many;
  }
  while (too_many - fits > 1) {
    const std::uint32_t cells = fits + (too_many - fits) / 2;
    const Expected<double> latency = latency_of(laboratory, walk, cells);
    if (!latency)
      return tl::unexpected(latency.error());
    (*latency > limit ? too_many : fits) = cells;
  }
  return std::uint64_t{fits} * walk.line_bytes;
}

std::uint32_t lines(const configs::Cache& cache, std::uint64_t bytes) {
  return static_cast<std::uint32_t>(bytes / cache.line_bytes);
}

// So many that none is in L2 when its turn comes again, or one in 50 where any line may go.
std::uint32_t cells_beyond(const configs::Cache& l2) {
  return (l2.replacement == configs::Replacement::lru ? 2 : 4) * lines(l2, l2.bytes);
}

class Levels {
public:
  explicit Levels(const Laboratory& laboratory) : laboratory_(laboratory), gpu_(laboratory.gpu()) {}

  Expected<Findings> find() {
    // Dram first: what an L2 miss costs bounds the search for L2's size, and so on.
    if (auto found =
            level("dram", {"chase_l2", gpu_.l2.line_bytes}, cells_beyond(gpu_.l2), gpu_.dram_latency());
        !found)
      return tl::unexpected(found.error());
    if (auto found = cache("l2", {"chase_l2", gpu_.l2.line_bytes}, gpu_.l2, gpu_.l2.bytes, gpu_.l2_latency(),
                           gpu_.dram_latency());
        !found)
      return tl::unexpected(found.error());
    if (gpu_.l1_caches_global && gpu_.l1.bytes > 0)
      if (auto found = cache("l1", {"chase", gpu_.l1.line_bytes}, gpu_.l1, configs::l1_bytes(gpu_, 1, 0),
                             gpu_.l1.latency, gpu_.l2_latency());
          !found)
        return tl::unexpected(found.error());
    return std::move(findings_);
  }

private:
  Expected<void> level(std::string name, const Walk& walk, std::uint32_t cells, double described) {
    const Expected<double> latency = latency_of(laboratory_, walk, cells);
    if (!latency)
      return tl::unexpected(latency.error());
    findings_.push_back({"latency", std::move(name), "cycles", *latency, described, usual_tolerance});
    return {};
  }

  // `bytes`: of the cache where a kernel needs no shared memory.
  Expected<void> cache(const std::string& name, const Walk& walk, const configs::Cache& cache,
                       std::uint64_t bytes, double hit, double miss) {
    if (auto found = level(name, walk, lines(cache, bytes) / 2, hit); !found)
      return found;
    const Expected<std::uint64_t> size = size_of(laboratory_, walk, findings_.back().found, miss);
    if (!size)
      return tl::unexpected(size.error());
    findings_.push_back(
        {"size", name, "KiB", static_cast<double>(*size) / 1024, static_cast<double>(bytes) / 1024, 0});
    return {};
  }

  const Laboratory& laboratory_;
  const configs::Gpu& gpu_;
  Findings findings_;
};

} // namespace

Expected<double> cycles_per_dram_load(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  return latency_of(laboratory, {"chase_l2", gpu.l2.line_bytes}, cells_beyond(gpu.l2));
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
