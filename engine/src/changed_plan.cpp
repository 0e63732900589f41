#include "changed_plan.h"

#include <utility>

#include "engine/workload_key.h"

namespace kerncast::engine {
namespace {

bool same_work(const KernelPlan& a, const KernelPlan& b) {
  if (a.groups.size() != b.groups.size())
    return false;
  for (std::size_t g = 0; g < a.groups.size(); ++g)
    if (workload_key(a.groups[g].workload) != workload_key(b.groups[g].workload))
      return false;
  return true;
}

} // namespace

std::optional<KernelPlan> plan_changed(const KernelInput& input, const Machine& machine,
                                       const KernelPlan& plan) {
  const KernelInput changed{input.list,  machine.program, input.behaviour, input.launch,
                            machine.gpu, input.hit_rates, input.predicted, input.average_hits,
                            input.exact, input.explain};
  Expected<KernelPlan> of_changed = plan_kernel(changed);
  if (!of_changed || same_work(*of_changed, plan))
    return std::nullopt;
  return std::move(*of_changed);
}

} // namespace kerncast::engine
