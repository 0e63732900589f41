// Continuation is along whole numbers of chunks, so that charges stay sums of whole steps of time and add up
// to the resident warp-cycles exactly, as they do in a simulation. Left out: runs that become steady only
// after many chunks of growing cost look steady too early if the growth is slower than the allowed error.
#include "steady.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "continued_run.h"
#include "cta_sequence.h"
#include "engine/workload_key.h"
#include "first_ctas.h"
#include "loops.h"

namespace kerncast::engine {
namespace {

// Workloads of fewer instructions are stepped through: that takes milliseconds.
constexpr std::uint64_t instructions_worth_continuing = 1 << 18;
// The first chunk: a wave of CTAs, or as many iterations as a warp needs for so many instructions. Warps that
// share units drift against each other: many instructions can pass before their final pattern is reached.
constexpr std::uint64_t first_instructions_of_warp = 4096;
constexpr std::uint64_t most_first_iterations = 1024;
constexpr std::uint64_t least_instructions_of_chunk = 1 << 15;
// The largest sample, as a part of the run. Samples of CTAs are the beginnings of one simulation, which goes
// on to the end if none is steady; those of iterations are simulations of their own.
constexpr std::uint64_t part_of_one_simulation = 2;
constexpr std::uint64_t part_of_own_simulations = 4;

// CTAs [from, to): how many of each kind, and their instructions, all for one CTA.
struct MeanCta {
  std::vector<double> kinds;
  double instructions = 0;
};

MeanCta mean_cta(const SmWorkload& workload, std::uint64_t from, std::uint64_t to) {
  const auto count = static_cast<double>(to - from);
  MeanCta mean;
  mean.kinds.resize(workload.kinds.size());
  for (const auto& [first, sign] : {std::pair{to, 1.0}, std::pair{from, -1.0}}) {
    const SmWorkload some = with_first_ctas(workload, first);
    for (const CtaRun& run : some.ctas)
      mean.kinds[run.kind] += sign * static_cast<double>(run.count) / count;
    mean.instructions += sign * static_cast<double>(expected_instructions(some)) / count;
  }
  return mean;
}

// By their instructions. Nothing is known of those after `to` if they are of other kinds.
double later_ctas_differ(const SmWorkload& workload, std::uint64_t from, std::uint64_t to) {
  constexpr double alike = 0.05; // of the CTAs
  const MeanCta sampled = mean_cta(workload, from, to), later = mean_cta(workload, to, ctas_of(workload));
  for (std::size_t kind = 0; kind < workload.kinds.size(); ++kind)
    if (std::abs(sampled.kinds[kind] - later.kinds[kind]) > alike)
      return HUGE_VAL;
  return std::abs(later.instructions / sampled.instructions - 1);
}

// All loops of that depth with fewer chunks: the longest by `run`, the others in proportion.
SmWorkload with_first_iterations(const SmWorkload& workload, std::uint32_t depth, const Sampling& run,
                                 std::uint64_t kept) {
  const std::uint64_t chunks_less = (run.all - kept) / run.chunk;
  SmProgram program = *workload.program;
  for (Step& step : program.steps)
    if (step.kind == Step::Kind::loop_end && step.depth == depth) {
      const std::uint64_t chunk = step.count == run.all ? run.chunk : step.count / run.chunks();
      step.count = std::max<std::uint64_t>(1, step.count - chunk * chunks_less);
    }
  SmWorkload out = workload;
  out.program = std::make_shared<const SmProgram>(std::move(program));
  return out;
}

std::uint64_t first_iterations(const Loop& loop) {
  return std::min(iterations_of(loop, first_instructions_of_warp), most_first_iterations);
}

// Hits and misses one by one follow no period that the code has: warps drift against each other, and the
// chunks of a run cost more or less. Two that happen to cost the same then prove nothing.
bool is_irregular(const SmProgram& program) {
  return std::any_of(program.requests.begin(), program.requests.end(), [](const memory_model::Request& r) {
    return std::any_of(r.levels.begin(), r.levels.end(), [](const memory_model::ServedBy& level) {
      return level.share > 0 && level.share < 1;
    });
  });
}

class Steady {
public:
  Steady(const SmWorkload& workload, Simulate simulate)
      : simulate_(simulate), irregular_(is_irregular(*workload.program)),
        allowed_(workload.steady_error / runs_of(workload)) {}

  SmResult all_ctas(const SmWorkload& workload) const {
    const std::optional<Sampling> sampling = sampling_of_ctas(workload);
    if (!sampling)
      return loops(workload, 0);
    std::optional<FirstCtas> stepping;
    if (!has_long_loops(workload))
      stepping.emplace(workload);
    const Run run{
        *sampling,
        [&](std::uint64_t count) {
          return stepping ? stepping->of(count) : loops(with_first_ctas(workload, count), 0);
        },
        [&](std::uint64_t from, std::uint64_t to) { return later_ctas_differ(workload, from, to); }};
    ContinuedRun continued = continue_run(run, irregular_, allowed_);
    if (continued.result) {
      continued.result->continued.ctas = continued.sampled;
      continued.result->continued.all_ctas = sampling->all;
      return *std::move(continued.result);
    }
    SmResult result = run.first(sampling->all);
    result.simulated_warp_instructions += continued.stepped;
    return result;
  }

private:
  // Loops of `depth` and deeper ones.
  SmResult loops(const SmWorkload& workload, std::uint32_t depth) const {
    if (depth >= workload.program->loop_depth)
      return simulate_(workload);
    std::uint64_t stepped = 0;
    if (const std::optional<Sampling> sampling = sampling_of_loops(workload, depth)) {
      const auto shorter = [&](std::uint64_t kept) {
        return with_first_iterations(workload, depth, *sampling, kept);
      };
      const Run run{*sampling, [&](std::uint64_t kept) { return loops(shorter(kept), depth + 1); },
                    [](std::uint64_t, std::uint64_t) { return 0.0; }};
      ContinuedRun continued = continue_run(run, irregular_, allowed_);
      if (continued.result) {
        continued.result->continued.iterations = continued.sampled;
        continued.result->continued.all_iterations = sampling->all;
        return *std::move(continued.result);
      }
      stepped = continued.stepped;
    }
    SmResult result = loops(workload, depth + 1);
    result.simulated_warp_instructions += stepped;
    return result;
  }

  // Nothing, if the run is not worth continuing.
  static std::optional<Sampling> sampling_of_ctas(const SmWorkload& workload) {
    const std::uint64_t part = has_long_loops(workload) ? part_of_own_simulations : part_of_one_simulation;
    // Whole waves: all samples, and the run, end with the same part of one.
    return sampling_of(workload, ctas_of(workload), workload.resident_ctas, workload.resident_ctas, part);
  }
  static std::optional<Sampling> sampling_of_loops(const SmWorkload& workload, std::uint32_t depth) {
    const Loop loop = longest_loop(*workload.program, depth);
    return sampling_of(workload, loop.iterations, first_iterations(loop), 1, part_of_own_simulations);
  }
  static std::optional<Sampling> sampling_of(const SmWorkload& workload, std::uint64_t all,
                                             std::uint64_t chunk, std::uint64_t grain, std::uint64_t part) {
    const std::uint64_t instructions = expected_instructions(workload);
    if (instructions < instructions_worth_continuing)
      return std::nullopt;
    while (all >= chunk && instructions / (all / chunk) < least_instructions_of_chunk)
      chunk *= 2;
    return engine::sampling_of(all, chunk, grain, part);
  }

  static bool has_long_loops(const SmWorkload& workload) {
    for (std::uint32_t depth = 0; depth < workload.program->loop_depth; ++depth)
      if (sampling_of_loops(workload, depth))
        return true;
    return false;
  }

  // Kinds of runs that may be continued, one inside the other; they share the allowed error.
  static double runs_of(const SmWorkload& workload) {
    double runs = sampling_of_ctas(workload) ? 1 : 0;
    for (std::uint32_t depth = 0; depth < workload.program->loop_depth; ++depth)
      runs += sampling_of_loops(workload, depth) ? 1 : 0;
    return std::max(1.0, runs);
  }

  Simulate simulate_;
  bool irregular_;
  double allowed_;
};

} // namespace

bool is_stepped_through(const SmWorkload& workload) {
  return workload.steady_error <= 0 || expected_instructions(workload) < instructions_worth_continuing;
}

SmResult simulate_steadily(const SmWorkload& workload, Simulate simulate) {
  return Steady(workload, simulate).all_ctas(workload);
}

} // namespace kerncast::engine
