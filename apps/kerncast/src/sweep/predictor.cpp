#include "sweep/predictor.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "engine/simulate_plan.h"
#include "hit_rates/issued_source.h"
#include "parallel/run.h"
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

std::size_t bytes_of(const Hits& hits) {
  std::size_t bytes = hits.size() * sizeof(Hits::value_type);
  for (const std::optional<hit_rates::LaunchHits>& launch : hits)
    bytes += launch ? launch->by_task.size() * sizeof(memory_model::HitRates) : 0;
  return bytes;
}

// L2s that see the accesses of a launch side by side keep so many lines in all, of some 60 bytes.
constexpr std::uint64_t most_l2_lines = std::uint64_t{1} << 21;
// Hit rates that are kept: those on L2s that were found together are needed one after the other.
constexpr std::size_t most_hits = 512;

std::string one_line(const Diagnostics& errors) {
  std::string text;
  for (const Diagnostic& d : errors)
    text += (text.empty() ? "" : "; ") + d.message;
  return text;
}

// Or the first error.
Expected<std::vector<engine::KernelPrediction>>
all_of(std::vector<Expected<engine::KernelPrediction>>&& predictions) {
  std::vector<engine::KernelPrediction> all;
  for (Expected<engine::KernelPrediction>& one : predictions) {
    if (!one)
      return tl::unexpected(std::move(one).error());
    all.push_back(*std::move(one));
  }
  return all;
}

} // namespace

Predictor::Predictor(Simulations& simulations) : simulations_(simulations), hits_(most_hits, bytes_of) {}

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
  const auto prepared = prepared_on(app.input, gpu);
  if (!prepared->programs)
    return tl::unexpected(prepared->programs.error());
  const std::vector<machine::MachineProgram>& of_kernel = prepared->programs->front();
  const auto hits = hits_on(app.input, gpu, *prepared);
  std::vector<Expected<engine::KernelPrediction>> predictions(app.input.launches.size());
  parallel::for_each_index_with_idle(app.input.launches.size(), [&](std::size_t i) {
    const LaunchJob& job = app.input.launches[i];
    const std::optional<hit_rates::LaunchHits>& predicted = (*hits)[i];
    const engine::KernelInput input{.list = app.input.kernels[job.kernel].list,
                                    .program = of_kernel[job.kernel],
                                    .behaviour = app.behaviours[i],
                                    .launch = job.launch,
                                    .gpu = gpu,
                                    .hit_rates = job.hit_rates,
                                    .predicted = predicted ? &*predicted : nullptr};
    predictions[i] = engine::plan_kernel(input).map([&](const engine::KernelPlan& plan) {
      return engine::simulate_plan(
          plan, gpu, [&](const engine::SmWorkload& workload) { return *simulations_.of(workload); });
    });
  });
  return all_of(std::move(predictions));
}

// Hit rates on one GPU.
struct Predictor::Sought {
  std::string key;
  std::string l1_key; // of what L1s let through
  const configs::Gpu* gpu = nullptr;
  std::shared_ptr<const Prepared> prepared;
};

// Each once; those with the same accesses to L2 beside one another.
std::vector<Predictor::Sought> Predictor::sought_on(const SweepApplication& app,
                                                    std::span<const configs::Gpu> gpus) {
  std::vector<Sought> sought;
  for (const configs::Gpu& gpu : gpus)
    if (auto prepared = prepared_on(app.input, gpu); prepared->programs)
      sought.push_back({key_of_hits(app.input, gpu, *prepared, reaches_hits),
                        key_of_hits(app.input, gpu, *prepared, reaches_l1_hits), &gpu, std::move(prepared)});
  std::ranges::stable_sort(sought, {}, [](const Sought& one) { return std::tie(one.l1_key, one.key); });
  const auto repeated = std::ranges::unique(sought, {}, &Sought::key);
  sought.erase(repeated.begin(), repeated.end());
  return sought;
}

// How many of the first are found together: with the same accesses to L2, and L2s that keep few enough lines.
std::size_t Predictor::number_together(std::span<const Sought> sought) {
  std::vector<configs::Cache> l2s;
  for (const Sought& one : sought) {
    l2s.push_back(one.gpu->l2);
    if (l2s.size() > 1 && (one.l1_key != sought.front().l1_key || hit_rates::lines_kept(l2s) > most_l2_lines))
      return l2s.size() - 1;
  }
  return sought.size();
}

// `sought`: with the same accesses to L2.
void Predictor::find_together(const PredictInput& input, std::span<const Sought> sought) {
  std::vector<configs::Cache> l2s;
  for (const Sought& one : sought)
    l2s.push_back(one.gpu->l2);
  std::vector<Hits> found =
      predict_hits_with_each_l2(input, *sought.front().gpu, sought.front().prepared->programs->front(), l2s);
  for (std::size_t i = 0; i < found.size(); ++i)
    hits_.get(sought[i].key, [&] { return std::move(found[i]); });
}

void Predictor::find_hits(const SweepApplication& app, std::span<const configs::Gpu> gpus) {
  std::vector<Sought> sought = sought_on(app, gpus);
  std::erase_if(sought, [this](const Sought& one) { return hits_.knows(one.key); });
  for (std::span<const Sought> left = sought; !left.empty();) {
    const std::size_t together = number_together(left);
    find_together(app.input, left.first(together));
    left = left.subspan(together);
  }
}

std::string Predictor::tell_hits(const SweepApplication& app, std::span<const configs::Gpu> gpus) {
  find_hits(app, gpus);
  std::string told;
  append_part("", told); // so that it is not empty
  for (const Sought& one : sought_on(app, gpus)) {
    append_part(one.key, told);
    append_part(encode(*hits_on(app.input, *one.gpu, *one.prepared)), told);
  }
  return told;
}

void Predictor::put_hits(std::string_view told) {
  take_part(told);
  while (!told.empty()) {
    const std::string key(take_part(told));
    const std::string_view hits = take_part(told);
    hits_.get(key, [&] { return decode_hits(hits); });
  }
}

Predictor::Prepared Predictor::prepare(const PredictInput& input, const configs::Gpu& gpu) {
  Prepared prepared{annotate_all(input, {gpu}, {}), {}};
  for (std::size_t k = 0; prepared.programs && k < input.kernels.size(); ++k)
    prepared.orders += hit_rates::text_of_order(input.kernels[k].list, prepared.programs->front()[k]);
  return prepared;
}

std::shared_ptr<const Predictor::Prepared> Predictor::prepared_on(const PredictInput& input,
                                                                  const configs::Gpu& gpu) {
  return prepared_.get(values_that_reach(gpu, reaches_programs), [&] { return prepare(input, gpu); });
}

// What the hit rates of the launches depend on, or of it what `reaches` says.
std::string Predictor::key_of_hits(const PredictInput& input, const configs::Gpu& gpu,
                                   const Prepared& prepared, bool (*reaches)(std::string_view key)) {
  // What reaches hit rates of machine programs: occupancy, the atomics that one lane does for all, the order
  // of accesses, and spills, whose places follow from all of a program.
  const std::vector<machine::MachineProgram>& programs = prepared.programs->front();
  std::string key = values_that_reach(gpu, reaches);
  key += prepared.orders;
  key += hit_rates::keeps_warps(gpu.scheduler) ? " in turns" : "";
  for (const LaunchJob& job : input.launches) {
    const auto occupancy =
        engine::occupancy_of(input.kernels[job.kernel].list, programs[job.kernel], job.launch, gpu);
    key += fmt::format(" {}", occupancy ? occupancy->ctas_per_sm : 0);
  }
  for (std::size_t k = 0; k < input.kernels.size(); ++k) {
    const std::vector<bool> one_lane =
        machine::one_lane_tasks(programs[k], input.kernels[k].list.tasks.size());
    for (std::size_t task = 0; task < one_lane.size(); ++task)
      if (one_lane[task])
        key += fmt::format(" {}:{}", k, task);
  }
  const auto spills = [](const machine::MachineProgram& program) { return program.spill_bytes > 0; };
  if (std::ranges::any_of(programs, spills))
    key += values_that_reach(gpu, reaches_programs);
  return key;
}

std::shared_ptr<const Hits> Predictor::hits_on(const PredictInput& input, const configs::Gpu& gpu,
                                               const Prepared& prepared) {
  return hits_.get(key_of_hits(input, gpu, prepared, reaches_hits), [&] {
    return std::move(predict_hits_with_each_l2(input, gpu, prepared.programs->front(), {&gpu.l2, 1}).front());
  });
}

} // namespace kerncast::app
