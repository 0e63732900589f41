// Continuation is along whole numbers of chunks, so that charges stay sums of whole steps of time and add up
// to the resident warp-cycles exactly, as they do in a simulation. Left out: runs that become steady only
// after many chunks of growing cost look steady too early if the growth is slower than the allowed error.
#include "steady.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "continue_result.h"
#include "cta_sequence.h"
#include "engine/workload_key.h"
#include "first_ctas.h"

namespace kerncast::engine {
namespace {

// Workloads of fewer instructions are stepped through: that takes milliseconds.
constexpr std::uint64_t instructions_worth_continuing = 1 << 18;
// Chunks that a run must have: three samples step through six.
constexpr std::uint64_t chunks_worth_continuing = 8;
// The first attempt's chunk: waves of CTAs, iterations of the longest loop. Warps that share units drift
// against each other: hundreds of iterations can pass before their final pattern is reached.
constexpr std::uint64_t first_waves = 4;
constexpr std::uint64_t first_iterations = 1024;
constexpr std::uint64_t least_instructions_of_chunk = 1 << 15;

using AtChunks = std::function<SmResult(std::uint64_t chunks)>;

// Simulates 1, 2 and 3 chunks and continues to `chunks`. Nothing, if that is not steady; `stepped` counts the
// instructions stepped through in any case.
std::optional<SmResult> continue_to(std::uint64_t chunks, const AtChunks& at, double allowed,
                                    std::uint64_t& stepped) {
  std::array<SmResult, 3> sample;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    sample[i] = at(i + 1);
    stepped += sample[i].simulated_warp_instructions;
  }
  const double early = sample[1].cycles - sample[0].cycles;
  const double late = sample[2].cycles - sample[1].cycles;
  const std::uint64_t further = chunks - sample.size();
  const double cycles = sample[2].cycles + static_cast<double>(further) * late;
  const double error = std::abs(late - early) * static_cast<double>(further) / cycles;
  if (late <= 0 || error > allowed)
    return std::nullopt;
  SmResult result = continue_result(sample[1], std::move(sample[2]), further);
  result.continued.error += error;
  return result;
}

// The loops of one depth, shortened to so many chunks. The longest keeps its remainder beside the chunks, the
// others shrink in proportion.
struct ShortLoops {
  std::uint32_t depth = 0;
  std::uint64_t chunks = 0; // of the whole run

  std::uint64_t count(const Step& step, std::uint64_t kept_chunks) const {
    const std::uint64_t chunk = step.count / chunks;
    return step.count - chunk * (chunks - kept_chunks);
  }
  SmWorkload shortened(const SmWorkload& workload, std::uint64_t kept_chunks) const {
    SmProgram program = *workload.program;
    for (Step& step : program.steps)
      if (step.kind == Step::Kind::loop_end && step.depth == depth)
        step.count = std::max<std::uint64_t>(1, count(step, kept_chunks));
    SmWorkload out = workload;
    out.program = std::make_shared<const SmProgram>(std::move(program));
    return out;
  }
};

std::uint64_t longest_loop(const SmProgram& program, std::uint32_t depth) {
  std::uint64_t longest = 0;
  for (const Step& step : program.steps)
    if (step.kind == Step::Kind::loop_end && step.depth == depth)
      longest = std::max(longest, step.count);
  return longest;
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

// Takes the first continuation, or for irregular programs the first that agrees with the one before it, whose
// chunks were half as long.
class Agreement {
public:
  Agreement(bool needed, double allowed) : needed_(needed), allowed_(allowed) {}

  bool accepts(std::optional<SmResult>& result) {
    if (!needed_)
      return result.has_value();
    if (!result) {
      cycles_before_ = 0;
      return false;
    }
    const double difference = std::abs(cycles_before_ / result->cycles - 1);
    cycles_before_ = result->cycles;
    result->continued.error = std::max(result->continued.error, difference);
    return difference <= allowed_;
  }

private:
  bool needed_;
  double allowed_;
  double cycles_before_ = 0;
};

class Steady {
public:
  Steady(const SmWorkload& workload, Simulate simulate)
      : simulate_(simulate), allowed_(workload.steady_error / runs_of(workload)) {}

  SmResult all_ctas(const SmWorkload& workload) const {
    const std::uint64_t ctas = ctas_of(workload);
    std::uint64_t stepped = 0;
    std::uint64_t chunk = first_chunk(workload, ctas, first_waves * workload.resident_ctas);
    if (!worth_continuing(workload, ctas, chunk))
      return loops(workload, 0, first_iterations);
    std::optional<FirstCtas> stepping;
    if (!has_long_loops(*workload.program))
      stepping.emplace(workload);
    const auto first = [&](std::uint64_t count) {
      return stepping ? stepping->of(count) : loops(with_first_ctas(workload, count), 0, first_iterations);
    };
    Agreement agreement(is_irregular(*workload.program), allowed_);
    for (; worth_continuing(workload, ctas, chunk); chunk *= 2) {
      const std::uint64_t rest = ctas % chunk;
      // The first of these are among those of the chunks before.
      const AtChunks at = [&](std::uint64_t chunks) { return first(rest + chunks * chunk); };
      std::optional<SmResult> result = continue_to(ctas / chunk, at, allowed_, stepped);
      if (agreement.accepts(result)) {
        result->continued.ctas = rest + 3 * chunk;
        result->continued.all_ctas = ctas;
        result->simulated_warp_instructions = stepped;
        return *std::move(result);
      }
    }
    SmResult result = first(ctas);
    result.simulated_warp_instructions += stepped;
    return result;
  }

private:
  // Kinds of runs that may be continued, one inside the other; they share the allowed error.
  static double runs_of(const SmWorkload& workload) {
    double runs = ctas_of(workload) >= chunks_worth_continuing * first_waves * workload.resident_ctas ? 1 : 0;
    for (std::uint32_t depth = 0; depth < workload.program->loop_depth; ++depth)
      runs += longest_loop(*workload.program, depth) >= chunks_worth_continuing * first_iterations ? 1 : 0;
    return std::max(1.0, runs);
  }

  static bool has_long_loops(const SmProgram& program) {
    for (std::uint32_t depth = 0; depth < program.loop_depth; ++depth)
      if (longest_loop(program, depth) >= chunks_worth_continuing * first_iterations)
        return true;
    return false;
  }

  static bool worth_continuing(const SmWorkload& workload, std::uint64_t run, std::uint64_t chunk) {
    return run >= chunks_worth_continuing * chunk &&
           expected_instructions(workload) >= instructions_worth_continuing;
  }

  // Doubled until a chunk of the run has enough instructions.
  static std::uint64_t first_chunk(const SmWorkload& workload, std::uint64_t run, std::uint64_t chunk) {
    const std::uint64_t instructions = expected_instructions(workload);
    while (run >= chunk && instructions / (run / chunk) < least_instructions_of_chunk)
      chunk *= 2;
    return chunk;
  }

  // Loops of `depth` and deeper ones. A loop whose count is far from a multiple of the chunks keeps a long
  // remainder, which is a run of its own: hence the same depth again, with no shorter chunks.
  SmResult loops(const SmWorkload& workload, std::uint32_t depth, std::uint64_t chunk) const {
    if (depth >= workload.program->loop_depth)
      return simulate_(workload);
    const std::uint64_t iterations = longest_loop(*workload.program, depth);
    std::uint64_t stepped = 0;
    chunk = first_chunk(workload, iterations, chunk);
    Agreement agreement(is_irregular(*workload.program), allowed_);
    for (; worth_continuing(workload, iterations, chunk); chunk *= 2) {
      const ShortLoops run{depth, iterations / chunk};
      const AtChunks at = [&](std::uint64_t chunks) {
        return loops(run.shortened(workload, chunks), depth, chunk);
      };
      std::optional<SmResult> result = continue_to(run.chunks, at, allowed_, stepped);
      if (agreement.accepts(result)) {
        result->continued.iterations = iterations % run.chunks + 3 * (iterations / run.chunks);
        result->continued.all_iterations = iterations;
        result->simulated_warp_instructions = stepped;
        return *std::move(result);
      }
    }
    SmResult result = loops(workload, depth + 1, first_iterations);
    result.simulated_warp_instructions += stepped;
    return result;
  }

  Simulate simulate_;
  double allowed_;
};

} // namespace

SmResult simulate_steadily(const SmWorkload& workload, Simulate simulate) {
  return Steady(workload, simulate).all_ctas(workload);
}

} // namespace kerncast::engine
