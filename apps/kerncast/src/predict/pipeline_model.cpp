// --model pipeline: launches are planned into SM workloads, all workloads are simulated on threads and
// ranks, and their results become predictions again.
#include "models.h"
#include "outcome.h"

namespace kerncast::app {
namespace {

using Plans = std::vector<std::vector<engine::KernelPlan>>; // [gpu][launch]

Expected<Plans> plan_all(const ModelInput& model) {
  Plans plans(model.gpus.size(), std::vector<engine::KernelPlan>(model.input.launches.size()));
  const Expected<void> done = for_each_launch(
      model.input, model.gpus, model.options,
      [&](const engine::KernelInput& input, std::size_t launch, std::size_t gpu) -> Expected<void> {
        Expected<engine::KernelPlan> plan = engine::plan_kernel(input);
        if (!plan)
          return tl::unexpected(plan.error());
        plans[gpu][launch] = std::move(*plan);
        return {};
      });
  if (!done)
    return tl::unexpected(done.error());
  return plans;
}

std::vector<const engine::SmWorkload*> workloads_of(const Plans& plans) {
  std::vector<const engine::SmWorkload*> workloads;
  for (const std::vector<engine::KernelPlan>& on_gpu : plans)
    for (const engine::KernelPlan& plan : on_gpu)
      for (const engine::SmGroup& group : plan.groups)
        for (const engine::SmWorkload& workload : group.workloads)
          workloads.push_back(&workload);
  return workloads;
}

// Hands the results, which are in the order of workloads_of, to their plans.
Predictions combine_all(const Plans& plans, const std::vector<configs::Gpu>& gpus,
                        std::vector<engine::SmResult> results) {
  Predictions predictions;
  predictions.of_gpu.resize(gpus.size());
  std::size_t next = 0;
  for (std::size_t g = 0; g < gpus.size(); ++g)
    for (const engine::KernelPlan& plan : plans[g]) {
      std::vector<std::vector<engine::SmResult>> of_plan;
      for (const engine::SmGroup& group : plan.groups) {
        std::vector<engine::SmResult>& of_group = of_plan.emplace_back();
        for (std::size_t w = 0; w < group.workloads.size(); ++w)
          of_group.push_back(std::move(results[next++]));
      }
      predictions.of_gpu[g].push_back(engine::combine(plan, of_plan, gpus[g]));
    }
  return predictions;
}

} // namespace

Expected<Predictions> predict_pipeline(const ModelInput& model) {
  const Expected<Plans> plans = plan_all(model);
  // A rank that could not plan must not leave the others waiting for it.
  const cluster::Status status =
      model.cluster.agree(plans ? cluster::Status{} : cluster::Status{exit_bad_input, render(plans.error())});
  if (status.exit_code != exit_done)
    return Predictions{.of_gpu = {}, .ended = status};
  const std::vector<const engine::SmWorkload*> workloads = workloads_of(*plans);
  std::vector<engine::SmResult> results = model.cluster.run_workloads(workloads, model.options.threads);
  if (!model.cluster.is_root())
    return Predictions{};
  return combine_all(*plans, model.gpus, std::move(results));
}

} // namespace kerncast::app
