#include "occupancy_curves.h"

#include <algorithm>
#include <map>

#include "closed_forms.h"
#include "engine/simulate_plan.h"

namespace kerncast::app {
namespace {

ModelCurve read_off(std::string_view model, std::vector<OccupancyPoint> points) {
  std::vector<double> warps;
  std::vector<double> rates;
  for (const OccupancyPoint& point : points) {
    warps.push_back(point.warps);
    rates.push_back(point.warps_per_cycle);
  }
  return {model, std::move(points), analytical::points_of(warps, rates)};
}

// The same launch on GPUs that hold 1, 2, ... CTAs per SM, up to what fits.
Expected<ModelCurve> simulator_curve(const engine::KernelInput& input, std::uint32_t ctas_per_sm,
                                     double warps_of_busiest_sm) {
  std::vector<OccupancyPoint> points;
  configs::Gpu gpu = input.gpu;
  for (std::uint32_t ctas = 1; ctas <= ctas_per_sm; ++ctas) {
    gpu.limits.ctas_per_sm = ctas;
    const engine::KernelInput limited{input.list,      input.program,   input.behaviour,    input.launch, gpu,
                                      input.hit_rates, input.predicted, input.average_hits, input.exact};
    const Expected<engine::KernelPlan> plan = engine::plan_kernel(limited);
    if (!plan)
      return tl::unexpected(plan.error());
    const engine::KernelPrediction p = engine::simulate_plan(*plan, gpu);
    points.push_back(
        {static_cast<double>(plan->occupancy.warps_per_sm), warps_of_busiest_sm / p.cycles, p.bound});
  }
  return read_off(simulator, std::move(points));
}

ModelCurve closed_form_curve(const analytical::ClosedForm& form, const LaunchProfile& launch,
                             std::uint32_t max_warps) {
  std::vector<OccupancyPoint> points;
  for (std::uint32_t warps = 1; warps <= max_warps; ++warps) {
    ClosedFormCycles at = cycles_of(form, launch, warps);
    points.push_back({static_cast<double>(warps), launch.warps() / at.cycles, std::move(at.bound)});
  }
  return read_off(form.name, std::move(points));
}

// Of the path that most warps take, where it computes and accesses memory.
std::optional<CuspOfKernel> cusp_of(const LaunchProfile& launch) {
  const auto most = std::ranges::max_element(launch.paths, {}, &ProfiledPath::warps);
  if (most == launch.paths.end())
    return {};
  const analytical::TwoSubsystemKernel kernel = analytical::two_subsystems(most->profile);
  if (kernel.compute_instructions == 0 || kernel.memory_instructions == 0)
    return {};
  return CuspOfKernel{kernel.compute_intensity(), analytical::cusp(kernel)};
}

Expected<OccupancyCurves> curves_of(const engine::KernelInput& input) {
  const Expected<engine::KernelPlan> plan = engine::plan_kernel(input);
  if (!plan)
    return tl::unexpected(plan.error());
  const LaunchProfile launch = profile_launch(input, *plan);
  Expected<ModelCurve> simulated = simulator_curve(input, plan->occupancy.ctas_per_sm, launch.warps());
  if (!simulated)
    return tl::unexpected(simulated.error());
  OccupancyCurves curves;
  curves.max_warps = input.gpu.limits.warps_per_sm;
  curves.cusp = cusp_of(launch);
  curves.models.push_back(std::move(*simulated));
  for (const analytical::ClosedForm& form : analytical::closed_forms())
    curves.models.push_back(closed_form_curve(form, launch, curves.max_warps));
  return curves;
}

} // namespace

std::vector<std::size_t> longest_launches(const PredictInput& input,
                                          const std::vector<engine::KernelPrediction>& predictions) {
  const auto time = [&](std::size_t i) {
    return predictions[i].time_us * static_cast<double>(input.launches[i].launches);
  };
  std::vector<std::size_t> longest;
  std::map<std::uint32_t, std::size_t> of_kernel; // kernel -> index in longest
  for (std::size_t i = 0; i < input.launches.size(); ++i) {
    const auto [found, is_new] = of_kernel.try_emplace(input.launches[i].kernel, longest.size());
    if (is_new)
      longest.push_back(i);
    else if (time(i) > time(longest[found->second]))
      longest[found->second] = i;
  }
  return longest;
}

Expected<std::vector<std::vector<OccupancyCurves>>>
occupancy_curves(const ModelInput& model, const std::vector<std::size_t>& launches) {
  PredictInput chosen = model.input;
  chosen.launches.clear();
  for (const std::size_t i : launches)
    chosen.launches.push_back(model.input.launches[i]);
  std::vector<std::vector<OccupancyCurves>> curves(model.gpus.size(),
                                                   std::vector<OccupancyCurves>(launches.size()));
  const Expected<void> done = for_each_launch(
      chosen, model.gpus, model.options,
      [&](const engine::KernelInput& input, std::size_t launch, std::size_t gpu) -> Expected<void> {
        Expected<OccupancyCurves> of_launch = curves_of(input);
        if (!of_launch)
          return tl::unexpected(of_launch.error());
        curves[gpu][launch] = std::move(*of_launch);
        return {};
      });
  if (!done)
    return tl::unexpected(done.error());
  return curves;
}

} // namespace kerncast::app
