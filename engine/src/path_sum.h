// Sums over one path of a program.
#pragma once

#include <type_traits>
#include <vector>

#include "engine/sm_workload.h"

namespace kerncast::engine {

// What a warp does whose path begins with that step: the sum of `of_run` over the steps that run operations,
// loop bodies as often as they are repeated.
template <class OfRun> auto path_sum(const SmProgram& program, std::size_t first, const OfRun& of_run) {
  using Sum = std::invoke_result_t<OfRun, const Step&>;
  std::vector<Sum> before; // each step
  Sum sum{};
  for (std::size_t i = first; program.steps[i].kind != Step::Kind::finish; ++i) {
    const Step& step = program.steps[i];
    before.push_back(sum);
    if (step.kind == Step::Kind::run)
      sum += of_run(step);
    else
      sum += static_cast<Sum>(step.count - 1) * (sum - before[step.target - first]);
  }
  return sum;
}

} // namespace kerncast::engine
