// --model NAME for the models of engine/analytical, all those asked for in one pass over the launches.
#include <algorithm>

#include "closed_forms.h"
#include "models.h"

namespace kerncast::app {
namespace {

// What does not depend on the model.
engine::KernelPrediction common_part(const engine::KernelInput& input, const engine::KernelPlan& plan) {
  engine::KernelPrediction p;
  p.kernel = plan.kernel;
  p.occupancy = plan.occupancy;
  p.registers = plan.registers;
  p.waves = plan.waves;
  p.warp_instructions = plan.warp_instructions;
  p.hit_rates = plan.hit_rates;
  p.hit_source = plan.hit_source;
  p.assumptions = plan.assumptions;
  p.launch_overhead_us = input.gpu.launch_overhead_us;
  p.dram_bytes = not_said;
  p.l2_bytes = not_said;
  return p;
}

void note_assumption(const analytical::ClosedForm& form, const LaunchProfile& launch,
                     std::vector<std::string>& assumptions) {
  for (const ProfiledPath& path : launch.paths)
    if (const std::string text = analytical::assumption_of(form, path.profile); !text.empty()) {
      assumptions.push_back(text);
      return;
    }
}

engine::KernelPrediction with_model(const analytical::ClosedForm& form, const LaunchProfile& launch,
                                    const configs::Gpu& gpu, engine::KernelPrediction p) {
  const ClosedFormCycles result = cycles_of(form, launch, p.occupancy.warps_per_sm);
  p.cycles = result.cycles;
  p.bound = result.bound;
  p.time_us = gpu.cycles_to_us(p.cycles);
  p.ipc_per_sm = p.cycles > 0 ? static_cast<double>(p.warp_instructions) / p.cycles / gpu.sms : 0;
  note_assumption(form, launch, p.assumptions);
  return p;
}

} // namespace

Expected<std::vector<Predictions>> predict_closed_forms(std::span<const Model* const> models,
                                                        const ModelInput& model) {
  Predictions empty;
  empty.of_gpu.assign(model.gpus.size(), std::vector<engine::KernelPrediction>(model.input.launches.size()));
  std::vector<Predictions> all(models.size(), empty);
  const Expected<void> done = for_each_launch(
      model.input, model.gpus, model.options,
      [&](const engine::KernelInput& input, std::size_t launch, std::size_t gpu) -> Expected<void> {
        const Expected<engine::KernelPlan> plan = engine::plan_kernel(input);
        if (!plan)
          return tl::unexpected(plan.error());
        const LaunchProfile profile = profile_launch(input, *plan);
        const engine::KernelPrediction common = common_part(input, *plan);
        for (std::size_t m = 0; m < models.size(); ++m)
          all[m].of_gpu[gpu][launch] = with_model(*models[m]->closed_form, profile, input.gpu, common);
        return {};
      });
  if (!done)
    return tl::unexpected(done.error());
  return all;
}

} // namespace kerncast::app
