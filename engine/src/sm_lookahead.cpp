// How far a scheduler may run ahead of the others without either noticing.
//
// Sub-cores meet at units of the SM, at memory, at barriers and when CTAs end. What a warp does there happens
// in the order of cycles; arithmetic on units of its own may be ahead of that, until the first cycle in which
// another sub-core could wake one of its warps: by a barrier, the latency after the last arrival, or by a new
// CTA, the launch latency after another's end.
#include <algorithm>
#include <vector>

#include "path_sum.h"
#include "sm.h"

namespace kerncast::engine {

// A phase that anything but an arrival can end wakes its warps at once: so do copies that it waits for, and
// warps that end while others wait, which cannot be where all arrive at one barrier equally often.
bool Sm::barriers_end_with_arrivals() const {
  if (program_.barrier_uses.empty())
    return true;
  const auto is_plain = [this](const SmOp& op) {
    if (op.kind != SmOpKind::barrier)
      return true;
    return !op.barrier_by_step && program_.barrier_uses[op.barrier] == BarrierUse{};
  };
  if (!std::all_of(program_.ops.begin(), program_.ops.end(), is_plain))
    return false;
  const std::vector<std::uint64_t> arrivals = arrivals_of_paths();
  return std::all_of(workload_.kinds.begin(), workload_.kinds.end(), [&](const CtaKind& kind) {
    return std::all_of(kind.warp_paths.begin(), kind.warp_paths.end(), [&](std::uint32_t path) {
      return arrivals[path] == arrivals[kind.warp_paths.front()];
    });
  });
}

// Barrier operations that a warp of each path issues.
std::vector<std::uint64_t> Sm::arrivals_of_paths() const {
  std::vector<std::uint64_t> before{0}; // each operation
  for (const SmOp& op : program_.ops)
    before.push_back(before.back() + (op.kind == SmOpKind::barrier ? 1 : 0));
  std::vector<std::uint64_t> arrivals;
  for (const std::uint32_t first : program_.path_start)
    arrivals.push_back(path_sum(
        program_, first, [&](const Step& step) { return before[step.end_op] - before[step.first_op]; }));
  return arrivals;
}

std::int64_t Sm::lookahead() const {
  if (trace_ != nullptr || !issues_one_a_cycle(config_))
    return 1;
  std::int64_t cycles = std::int64_t{1} << 32;
  if (!replaces_ctas_ || ctas_of(workload_.ctas) > workload_.resident_ctas)
    cycles = std::min(cycles, cycle_of(to_time(config_.cta_launch_latency)));
  for (const HotOp& op : ops_)
    if (op.kind == SmOpKind::barrier)
      cycles = std::min(cycles, cycle_of(op.latency));
  return barriers_end_with_arrivals() ? std::max<std::int64_t>(1, cycles) : 1;
}

} // namespace kerncast::engine
