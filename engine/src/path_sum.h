// Sums over the steps of a program.
#pragma once

#include <type_traits>
#include <vector>

#include "engine/sm_workload.h"

namespace kerncast::engine {

// The sum of `of_run` over the steps [first, end) that run operations, loop bodies as often as they are
// repeated.
template <class OfRun>
auto sum_of_steps(const SmProgram& program, std::size_t first, std::size_t end, const OfRun& of_run) {
  using Sum = std::invoke_result_t<OfRun, const Step&>;
  std::vector<Sum> before; // each step
  Sum sum{};
  for (std::size_t i = first; i < end; ++i) {
    const Step& step = program.steps[i];
    before.push_back(sum);
    if (step.kind == Step::Kind::run)
      sum += of_run(step);
    else
      sum += static_cast<Sum>(step.count - 1) * (sum - before[step.target - first]);
  }
  return sum;
}

// What a warp does whose path begins with that step.
template <class OfRun> auto path_sum(const SmProgram& program, std::size_t first, const OfRun& of_run) {
  std::size_t end = first;
  while (program.steps[end].kind != Step::Kind::finish)
    ++end;
  return sum_of_steps(program, first, end, of_run);
}

} // namespace kerncast::engine
