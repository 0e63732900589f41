#include "sweep/predictor.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/simulate_plan.h"
#include "predict/annotate_all.h"
#include "predict/collate.h"
#include "predict/kernel_shares.h"
#include "support/byte_parts.h"
#include "sweep/reach.h"
#include "timeline/timeline.h"

namespace kerncast::app {
namespace {

sweep::KernelResult kernel_result(const KernelRow& row) {
  const engine::KernelPrediction& p = row.mean;
  sweep::KernelResult result;
  result.kernel = p.kernel;
  result.launches = static_cast<double>(row.launches);
  result.time_us = p.time_us;
  result.cycles = p.cycles;
  result.warp_instructions = row.warp_instructions;
  result.ipc_per_sm = p.ipc_per_sm;
  result.ctas_per_sm = p.occupancy.ctas_per_sm;
  result.warps_per_sm = p.occupancy.warps_per_sm;
  result.occupancy = p.occupancy.fraction;
  result.registers = p.registers;
  result.l1_hit = p.hit_rates.l1;
  result.l2_hit = p.hit_rates.l2;
  result.l2_bytes = p.l2_bytes;
  result.dram_bytes = p.dram_bytes;
  result.limiter = configs::name(p.occupancy.limiter);
  result.bound = p.bound;
  return result;
}

// Each once, in the order of the kernels.
std::string assumptions_of(const std::vector<KernelRow>& rows) {
  std::set<std::string_view> seen;
  std::string text;
  for (const KernelRow& row : rows)
    for (const std::string& assumption : row.mean.assumptions)
      if (seen.insert(assumption).second)
        text += assumption + '\n';
  return text;
}

// What the hit rates of the launches depend on.
std::string key_of_hits(const PredictInput& input, const configs::Gpu& gpu, const Programs& programs) {
  // Of machine programs occupancy reaches hit rates, and spills, whose places follow from all of a program.
  std::string key = values_that_reach(gpu, reaches_hits);
  for (const LaunchJob& job : input.launches) {
    const auto occupancy =
        engine::occupancy_of(input.kernels[job.kernel].list, programs.front()[job.kernel], job.launch, gpu);
    key += fmt::format(" {}", occupancy ? occupancy->ctas_per_sm : 0);
  }
  const auto spills = [](const machine::MachineProgram& program) { return program.spill_bytes > 0; };
  if (std::ranges::any_of(programs.front(), spills))
    key += values_that_reach(gpu, reaches_programs);
  return key;
}

std::string one_line(const Diagnostics& errors) {
  std::string text;
  for (const Diagnostic& d : errors)
    text += (text.empty() ? "" : "; ") + d.message;
  return text;
}

} // namespace

sweep::ResultRow Predictor::predict(const SweepApplication& app, const configs::Gpu& gpu) {
  sweep::ResultRow row;
  row.app = app.facts.name;
  row.gpu = gpu.name;
  const Expected<std::vector<engine::KernelPrediction>> launches = predict_launches(app, gpu);
  if (!launches) {
    row.error = one_line(launches.error());
    return row;
  }
  std::vector<double> kernel_time_us;
  for (const engine::KernelPrediction& p : *launches)
    kernel_time_us.push_back(p.time_us);
  const timeline::Timeline timeline = timeline::simulate_timeline(
      app.input.events, kernel_time_us, gpu, kernel_shares(*launches), 0, kernel_parts(*launches));
  row.total_time_us = timeline.total_time_us;
  row.gpu_busy_us = timeline.gpu_busy_us;
  const std::vector<KernelRow> rows = collate(app.input.launches, *launches);
  for (const KernelRow& kernel : rows)
    row.kernels.push_back(kernel_result(kernel));
  row.assumptions = assumptions_of(rows);
  for (const std::string& assumption : timeline::assumptions(app.input.events, timeline, gpu))
    row.assumptions += assumption + '\n';
  return row;
}

Expected<std::vector<engine::KernelPrediction>> Predictor::predict_launches(const SweepApplication& app,
                                                                            const configs::Gpu& gpu) {
  const auto programs = programs_on(app.input, gpu);
  if (!*programs)
    return tl::unexpected(programs->error());
  const std::vector<machine::MachineProgram>& of_kernel = (*programs)->front();
  const auto hits = hits_on(app.input, gpu, **programs);
  std::vector<engine::KernelPrediction> predictions;
  for (std::size_t i = 0; i < app.input.launches.size(); ++i) {
    const LaunchJob& job = app.input.launches[i];
    const std::optional<hit_rates::LaunchHits>& predicted = (*hits)[i];
    const engine::KernelInput input{.list = app.input.kernels[job.kernel].list,
                                    .program = of_kernel[job.kernel],
                                    .behaviour = app.behaviours[i],
                                    .launch = job.launch,
                                    .gpu = gpu,
                                    .hit_rates = job.hit_rates,
                                    .predicted = predicted ? &*predicted : nullptr};
    const Expected<engine::KernelPlan> plan = engine::plan_kernel(input);
    if (!plan)
      return tl::unexpected(plan.error());
    predictions.push_back(engine::simulate_plan(
        *plan, gpu, [&](const engine::SmWorkload& workload) { return *simulations_.of(workload); }));
  }
  return predictions;
}

std::string Predictor::find_hits(const SweepApplication& app, const configs::Gpu& gpu) {
  const auto programs = programs_on(app.input, gpu);
  if (!*programs)
    return no_hits();
  std::string found;
  append_part(key_of_hits(app.input, gpu, **programs), found);
  return found + encode(*hits_on(app.input, gpu, **programs));
}

std::string Predictor::no_hits() {
  std::string nothing;
  append_part("", nothing);
  return nothing;
}

void Predictor::put_hits(std::string_view found) {
  const std::string key(take_part(found));
  if (!key.empty())
    hits_.get(key, [&] { return decode_hits(found); });
}

std::shared_ptr<const Expected<Programs>> Predictor::programs_on(const PredictInput& input,
                                                                 const configs::Gpu& gpu) {
  return programs_.get(values_that_reach(gpu, reaches_programs),
                       [&] { return annotate_all(input, {gpu}, {}); });
}

std::shared_ptr<const Hits> Predictor::hits_on(const PredictInput& input, const configs::Gpu& gpu,
                                               const Programs& programs) {
  return hits_.get(key_of_hits(input, gpu, programs), [&] {
    PredictOptions options;
    options.threads = 1;
    return predict_hits(input, {gpu}, programs, options).front();
  });
}

} // namespace kerncast::app
