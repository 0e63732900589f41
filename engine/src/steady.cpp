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

#include "continue_result.h"
#include "cta_sequence.h"
#include "engine/workload_key.h"
#include "first_ctas.h"
#include "loops.h"

namespace kerncast::engine {
namespace {

// Workloads of fewer instructions are stepped through: that takes milliseconds.
constexpr std::uint64_t instructions_worth_continuing = 1 << 18;
// The first chunk: waves of CTAs, or as many iterations as a warp needs for so many instructions. Warps that
// share units drift against each other: many instructions can pass before their final pattern is reached.
constexpr std::uint64_t first_waves = 1;
constexpr std::uint64_t first_instructions_of_warp = 4096;
constexpr std::uint64_t most_first_iterations = 1024;
constexpr std::uint64_t least_instructions_of_chunk = 1 << 15;
// The largest sample, as a part of the run. Samples of CTAs are the beginnings of one simulation, which goes
// on to the end if none is steady; those of iterations are simulations of their own.
constexpr std::uint64_t part_of_one_simulation = 2;
constexpr std::uint64_t part_of_own_simulations = 4;

// Where a run of so many iterations or CTAs is sampled: at rest + chunk, rest + 2 chunk, rest + 4 chunk ...
struct Sampling {
  std::uint64_t all = 0;
  std::uint64_t rest = 0;
  std::uint64_t chunk = 0;
  std::uint32_t doublings = 0;

  std::uint64_t at(std::uint32_t k) const { return rest + (chunk << k); }
  std::uint64_t chunks() const { return (all - rest) / chunk; }
};

// Of the chunks from `first_chunk` to twice that, the one with the smallest rest.
std::optional<Sampling> sampling_of(std::uint64_t all, std::uint64_t first_chunk, std::uint64_t part) {
  constexpr std::uint32_t least_doublings = 2; // two rates
  const std::uint64_t most = all / part;
  std::uint32_t doublings = 0;
  while (first_chunk <= most >> (doublings + 1))
    ++doublings;
  if (doublings < least_doublings)
    return std::nullopt;
  Sampling best{all, all, first_chunk, doublings};
  for (std::uint64_t chunk = first_chunk; chunk <= most >> doublings && best.rest != 0; ++chunk)
    if (all % chunk < best.rest)
      best = {all, all % chunk, chunk, doublings};
  return best;
}

struct Run {
  Sampling sampling;
  std::function<SmResult(std::uint64_t count)> first;
  // By how much, relatively, what comes after the first `to` may differ from those from `from` to `to`.
  std::function<double(std::uint64_t from, std::uint64_t to)> difference;
};

struct Continued {
  SmResult result;
  std::uint64_t sampled = 0; // of the run
};

// Looks for the sample from which on a run may be continued: the rate from the first sample to it is that to
// the sample before, within `allowed` of the whole run's cycles; where `irregular`, twice in a row.
class Continuing {
public:
  Continuing(const Run& run, bool irregular, double allowed)
      : run_(run), irregular_(irregular), allowed_(allowed) {}

  // Nothing, if the rate is never steady.
  std::optional<Continued> go() {
    for (std::uint32_t k = 0; k <= run_.sampling.doublings; ++k) {
      samples_.push_back(run_.first(run_.sampling.at(k)));
      stepped_ += samples_.back().simulated_warp_instructions;
      if (k == 0 || !is_steady(k))
        continue;
      SmResult result = continue_result(samples_, chunks_after(k));
      result.continued.error += error_;
      result.simulated_warp_instructions = stepped_;
      return Continued{std::move(result), run_.sampling.at(k)};
    }
    return std::nullopt;
  }

  std::uint64_t stepped() const { return stepped_; } // instructions

private:
  std::uint64_t chunks_after(std::uint32_t k) const {
    return run_.sampling.chunks() - (std::uint64_t{1} << k);
  }

  bool is_steady(std::uint32_t k) {
    const double cycles = samples_.back().cycles - samples_.front().cycles;
    const double rate = cycles / static_cast<double>((std::uint64_t{1} << k) - 1);
    const double rest = rate * static_cast<double>(chunks_after(k));
    const double change = rate_before_ ? std::abs(1 - *rate_before_ / rate) : HUGE_VAL;
    const double difference = run_.difference(run_.sampling.at(0), run_.sampling.at(k));
    error_ = (change + difference) * rest / (samples_.back().cycles + rest);
    const bool agrees = rate > 0 && error_ <= allowed_;
    const bool steady = agrees && (agreed_ || !irregular_);
    agreed_ = agrees;
    rate_before_ = rate;
    return steady;
  }

  const Run& run_;
  bool irregular_;
  double allowed_;
  std::vector<SmResult> samples_;
  std::uint64_t stepped_ = 0;
  std::optional<double> rate_before_; // cycles a chunk
  bool agreed_ = false;
  double error_ = 0;
};

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
    Continuing continuing(run, irregular_, allowed_);
    if (std::optional<Continued> continued = continuing.go()) {
      continued->result.continued.ctas = continued->sampled;
      continued->result.continued.all_ctas = sampling->all;
      return std::move(continued->result);
    }
    SmResult result = run.first(sampling->all);
    result.simulated_warp_instructions += continuing.stepped();
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
      Continuing continuing(run, irregular_, allowed_);
      if (std::optional<Continued> continued = continuing.go()) {
        continued->result.continued.iterations = continued->sampled;
        continued->result.continued.all_iterations = sampling->all;
        return std::move(continued->result);
      }
      stepped = continuing.stepped();
    }
    SmResult result = loops(workload, depth + 1);
    result.simulated_warp_instructions += stepped;
    return result;
  }

  // Nothing, if the run is not worth continuing.
  static std::optional<Sampling> sampling_of_ctas(const SmWorkload& workload) {
    const std::uint64_t part = has_long_loops(workload) ? part_of_own_simulations : part_of_one_simulation;
    return sampling_of(workload, ctas_of(workload), first_waves * workload.resident_ctas, part);
  }
  static std::optional<Sampling> sampling_of_loops(const SmWorkload& workload, std::uint32_t depth) {
    const Loop loop = longest_loop(*workload.program, depth);
    return sampling_of(workload, loop.iterations, first_iterations(loop), part_of_own_simulations);
  }
  static std::optional<Sampling> sampling_of(const SmWorkload& workload, std::uint64_t all,
                                             std::uint64_t chunk, std::uint64_t part) {
    const std::uint64_t instructions = expected_instructions(workload);
    if (instructions < instructions_worth_continuing)
      return std::nullopt;
    while (all >= chunk && instructions / (all / chunk) < least_instructions_of_chunk)
      chunk *= 2;
    return engine::sampling_of(all, chunk, part);
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

SmResult simulate_steadily(const SmWorkload& workload, Simulate simulate) {
  return Steady(workload, simulate).all_ctas(workload);
}

} // namespace kerncast::engine
