// Branches whose predicate is unknown: the user's facts first, then named assumptions.
#include <algorithm>

#include <fmt/format.h>

#include "warp_executor.h"

namespace kerncast::slice {

std::optional<LaneMask> WarpExecutor::decide(BlockId block, const Terminator& t, LaneMask unknown) {
  if (const auto& probability = context_.facts.taken[block]) {
    steady_.give_up(); // the next iteration may choose differently
    return is_taken(*probability, warp_number_, branch_visits_[block]++) ? unknown : 0;
  }
  if (fails_assertion(t.taken) != fails_assertion(t.next)) {
    assumptions_.add(
        t.line,
        fmt::format("line {}: the assertion behind the branch depends on unknown data; it is taken to hold",
                    t.line));
    return fails_assertion(t.taken) ? LaneMask{0} : unknown;
  }
  if (t.exits_loop != no_id)
    return decide_loop_exit(t, unknown);
  assumptions_.add(
      t.line, fmt::format("line {}: the branch to {} depends on unknown data; both sides are taken (give "
                          "\"branches\": {{\"{}\": {{\"taken\": P}}}})",
                          t.line, t.label, t.line));
  return std::nullopt;
}

bool WarpExecutor::fails_assertion(BlockId block) const {
  const BlockProgram& program = program_.blocks[block];
  const auto first = program_.steps.begin() + program.first_step;
  return std::any_of(first, first + program.step_count,
                     [](const Step& step) { return step.kind == Step::Kind::system_call; });
}

// A loop whose exit is unknown runs for the given trips; else its other, counted exit decides; else once.
std::optional<LaneMask> WarpExecutor::decide_loop_exit(const Terminator& t, LaneMask unknown) {
  const LaneMask leaving = t.taken_exits ? unknown : 0;
  const LaneMask staying = t.taken_exits ? 0 : unknown;
  const LoopProgram& loop = program_.loops[t.exits_loop];
  const auto& fact = context_.facts.trips[t.exits_loop];
  if (!fact && t.loop_counts_elsewhere) {
    assumptions_.add(
        t.line, fmt::format("line {}: leaving the loop at line {} depends on unknown data; it is taken to "
                            "run to its counted end (give \"loops\": {{\"{}\": N}})",
                            t.line, loop.line, loop.line));
    return staying;
  }
  if (!fact)
    assumptions_.add(
        t.line, fmt::format("line {}: the end of the loop at line {} depends on unknown data; 1 iteration "
                            "is assumed (give \"loops\": {{\"{}\": N}})",
                            t.line, loop.line, loop.line));
  const LoopFrame* frame = recorder_.frame_of(t.exits_loop);
  if (frame == nullptr)
    return leaving;
  // Tested at the top, the header is visited once more than the body.
  const std::uint64_t limit = fact.value_or(1) + (t.tests_at_top ? 1 : 0);
  if (steady_.observing() && frame == &recorder_.frame_at(steady_.depth()))
    steady_.limit_header_visits(limit);
  return frame->header_visits < limit ? staying : leaving;
}

} // namespace kerncast::slice
