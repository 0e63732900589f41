// From the results of the SMs to the explanation of a launch.
#pragma once

#include <vector>

#include "bound.h"
#include "engine/kernel.h"

namespace kerncast::engine {

// `results[g]` belongs to plan.groups[g]; they and the plan have details.
Explanation explain(const KernelPlan& plan, const std::vector<SmResult>& results, const SmResult& slowest,
                    Bound bound);

} // namespace kerncast::engine
