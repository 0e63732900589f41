#include "loops.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "path_sum.h"

namespace kerncast::engine {
namespace {

// Fewer make the code around a loop weigh too much.
constexpr std::uint64_t least_instructions_of_warp = 16'384;
constexpr std::uint64_t least_iterations = 8;

void shorten(SmProgram& program, std::uint32_t depth, double share) {
  for (Step& step : program.steps)
    if (step.kind == Step::Kind::loop_end && step.depth == depth)
      step.count = std::max<std::uint64_t>(
          1, static_cast<std::uint64_t>(std::llround(share * static_cast<double>(step.count))));
}

} // namespace

Loop longest_loop(const SmProgram& program, std::uint32_t depth) {
  Loop longest;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.kind == Step::Kind::loop_end && step.depth == depth && step.count > longest.iterations)
      longest = {step.count, sum_of_steps(program, step.target, i, [](const Step& run) {
                   return std::uint64_t{run.end_op - run.first_op};
                 })};
  }
  return longest;
}

std::uint64_t iterations_of(const Loop& loop, std::uint64_t instructions) {
  return std::max<std::uint64_t>(1, instructions / std::max<std::uint64_t>(1, loop.instructions));
}

// Inner loops first: what an outer iteration takes depends on them.
LoopShares shares_that_stand_for_all(const SmProgram& program) {
  SmProgram shorter = program;
  LoopShares shares(program.loop_depth, 1);
  for (std::uint32_t depth = program.loop_depth; depth-- > 0;) {
    const Loop loop = longest_loop(shorter, depth);
    const std::uint64_t kept = std::max(least_iterations, iterations_of(loop, least_instructions_of_warp));
    if (loop.iterations > 2 * kept) {
      shares[depth] = static_cast<double>(kept) / static_cast<double>(loop.iterations);
      shorten(shorter, depth, shares[depth]);
    }
  }
  return shares;
}

std::shared_ptr<const SmProgram> with_shares_of_loops(const SmProgram& program, const LoopShares& shares) {
  SmProgram shorter = program;
  for (std::uint32_t depth = 0; depth < shares.size(); ++depth)
    if (shares[depth] < 1)
      shorten(shorter, depth, shares[depth]);
  return std::make_shared<const SmProgram>(std::move(shorter));
}

} // namespace kerncast::engine
