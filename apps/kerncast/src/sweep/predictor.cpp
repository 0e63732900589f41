#include "sweep/predictor.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "engine/simulate_plan.h"
#include "machine/trip_groups.h"
#include "predict/annotate_all.h"
#include "predict/collate.h"
#include "predict/kernel_shares.h"
#include "support/byte_parts.h"
#include "sweep/kernel_predictions.h"
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

// What the hit rates of the launches depend on, or of it what `reaches` says.
std::string key_of_hits(const PredictInput& input, const configs::Gpu& gpu, const Programs& programs,
                        bool (*reaches)(std::string_view key)) {
  // Of machine programs occupancy reaches hit rates, and spills, whose places follow from all of a program.
  std::string key = values_that_reach(gpu, reaches);
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

std::size_t bytes_of(const Hits& hits) {
  std::size_t bytes = hits.size() * sizeof(Hits::value_type);
  for (const std::optional<hit_rates::LaunchHits>& launch : hits)
    bytes += launch ? launch->by_task.size() * sizeof(memory_model::HitRates) : 0;
  return bytes;
}

std::uint64_t lines_of(const configs::Cache& cache) { return cache.bytes / cache.line_bytes; }

// L2s that see the accesses of a launch side by side have so many lines in all, of some 60 bytes.
constexpr std::uint64_t most_l2_lines = std::uint64_t{1} << 21;
// Hit rates that are kept: those on L2s that were found together are needed one after the other.
constexpr std::size_t most_hits = 512;

bool reaches_anything(std::string_view /*key*/) { return true; }

std::string one_line(const Diagnostics& errors) {
  std::string text;
  for (const Diagnostic& d : errors)
    text += (text.empty() ? "" : "; ") + d.message;
  return text;
}

} // namespace

Predictor::Predictor(Simulations& simulations) : simulations_(simulations), hits_(most_hits, bytes_of) {}

sweep::ResultRow Predictor::predict(const SweepApplication& app, const configs::Gpu& gpu) {
  sweep::ResultRow row;
  row.app = app.facts.name;
  row.gpu = gpu.name;
  const Expected<Launches> launches = predict_launches(app, gpu);
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

Expected<Predictor::Launches> Predictor::predict_launches(const SweepApplication& app,
                                                          const configs::Gpu& gpu) {
  {
    const std::lock_guard lock(mutex_);
    if (auto known = by_all_ranks_.extract(values_that_reach(gpu, reaches_anything)))
      return std::move(known.mapped());
  }
  const auto programs = programs_on(app.input, gpu);
  if (!*programs)
    return tl::unexpected(programs->error());
  const auto hits = hits_on(app.input, gpu, **programs);
  Launches predictions;
  for (std::size_t i = 0; i < app.input.launches.size(); ++i) {
    Expected<engine::KernelPrediction> one = predict_launch(app, i, gpu, **programs, *hits);
    if (!one)
      return tl::unexpected(std::move(one.error()));
    predictions.push_back(std::move(*one));
  }
  return predictions;
}

Expected<engine::KernelPrediction> Predictor::predict_launch(const SweepApplication& app, std::size_t launch,
                                                             const configs::Gpu& gpu,
                                                             const Programs& programs, const Hits& hits) {
  const LaunchJob& job = app.input.launches[launch];
  const std::optional<hit_rates::LaunchHits>& predicted = hits[launch];
  const machine::MachineProgram& program = programs.front()[job.kernel];
  const tasklist::LaunchBehaviour& behaviour = app.behaviours[launch];
  const std::optional<tasklist::LaunchBehaviour> grouped = machine::grouped_trips(behaviour, program);
  const engine::KernelInput input{.list = app.input.kernels[job.kernel].list,
                                  .program = program,
                                  .behaviour = grouped ? *grouped : behaviour,
                                  .launch = job.launch,
                                  .gpu = gpu,
                                  .hit_rates = job.hit_rates,
                                  .predicted = predicted ? &*predicted : nullptr};
  return engine::plan_kernel(input).map([&](const engine::KernelPlan& plan) {
    return engine::simulate_plan(
        plan, gpu, [&](const engine::SmWorkload& workload) { return *simulations_.of(workload); });
  });
}

// Hit rates on one GPU.
struct Predictor::Sought {
  std::string key;
  std::string l1_key; // of what L1s let through
  const configs::Gpu* gpu = nullptr;
  std::shared_ptr<const Expected<Programs>> programs;
};

// Each once; those with the same accesses to L2 beside one another.
std::vector<Predictor::Sought> Predictor::sought_on(const SweepApplication& app,
                                                    std::span<const configs::Gpu> gpus) {
  std::vector<Sought> sought;
  for (const configs::Gpu& gpu : gpus)
    if (auto programs = programs_on(app.input, gpu); *programs)
      sought.push_back({key_of_hits(app.input, gpu, **programs, reaches_hits),
                        key_of_hits(app.input, gpu, **programs, reaches_l1_hits), &gpu, std::move(programs)});
  std::ranges::stable_sort(sought, {}, [](const Sought& one) { return std::tie(one.l1_key, one.key); });
  const auto repeated = std::ranges::unique(sought, {}, &Sought::key);
  sought.erase(repeated.begin(), repeated.end());
  return sought;
}

// `sought`: with the same accesses to L2.
void Predictor::find_side_by_side(std::span<const Sought> sought, const FindHits& find) {
  std::vector<configs::Cache> l2s;
  for (const Sought& one : sought)
    l2s.push_back(one.gpu->l2);
  std::vector<Hits> found = find(*sought.front().gpu, (*sought.front().programs)->front(), l2s);
  for (std::size_t i = 0; i < found.size(); ++i)
    hits_.get(sought[i].key, [&] { return std::move(found[i]); });
}

void Predictor::find_all(std::span<const Sought> sought, const FindHits& find) {
  std::uint64_t lines = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < sought.size(); ++i) {
    lines += lines_of(sought[i].gpu->l2);
    if (sought[i].l1_key == sought[first].l1_key && (i == first || lines <= most_l2_lines))
      continue;
    find_side_by_side(sought.subspan(first, i - first), find);
    first = i;
    lines = lines_of(sought[i].gpu->l2);
  }
  if (first < sought.size())
    find_side_by_side(sought.subspan(first), find);
}

void Predictor::find_hits(const SweepApplication& app, std::span<const configs::Gpu> gpus) {
  std::vector<Sought> sought = sought_on(app, gpus);
  std::erase_if(sought, [this](const Sought& one) { return hits_.knows(one.key); });
  find_all(sought, [&](const configs::Gpu& gpu, const std::vector<machine::MachineProgram>& programs,
                       std::span<const configs::Cache> l2s) {
    return predict_hits_with_each_l2(app.input, gpu, programs, l2s);
  });
}

// Rank 0 knows what was found before, and tells the others what it has in the end.
void Predictor::find_hits_together(const SweepApplication& app, std::span<const configs::Gpu> gpus,
                                   const Together& together) {
  std::vector<Sought> sought = sought_on(app, gpus);
  std::string known;
  for (const Sought& one : sought)
    append_plain(hits_.knows(one.key), known);
  known = together.cluster.broadcast(std::move(known));
  std::string_view left = known;
  std::erase_if(sought, [&](const Sought&) { return take_plain<bool>(left); });
  find_all(sought, [&](const configs::Gpu& gpu, const std::vector<machine::MachineProgram>& programs,
                       std::span<const configs::Cache> l2s) {
    return predict_hits_together(app.input, gpu, programs, l2s, together);
  });
  if (together.cluster.ranks() > 1)
    put_hits(together.cluster.broadcast(together.cluster.is_root() ? tell_hits(app, gpus) : ""));
}

// Empty where the launch cannot run: who computes the row says why.
std::string Predictor::predicted_part(const SweepApplication& app, std::size_t launch,
                                      const configs::Gpu& gpu) {
  const auto programs = programs_on(app.input, gpu);
  if (!*programs)
    return {};
  const auto one = predict_launch(app, launch, gpu, **programs, *hits_on(app.input, gpu, **programs));
  return one ? encode(*one) : std::string();
}

void Predictor::predict_launches_together(const SweepApplication& app, std::span<const configs::Gpu> gpus,
                                          const Together& together) {
  const std::size_t launches = app.input.launches.size();
  const std::vector<std::string> told = together.on_all(gpus.size() * launches, [&](std::size_t i) {
    return predicted_part(app, i % launches, gpus[i / launches]);
  });
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    const std::span<const std::string> of_gpu = std::span(told).subspan(g * launches, launches);
    if (std::ranges::any_of(of_gpu, &std::string::empty))
      continue;
    Launches predicted;
    for (const std::string& one : of_gpu)
      predicted.push_back(decode_prediction(one));
    const std::lock_guard lock(mutex_);
    by_all_ranks_.insert_or_assign(values_that_reach(gpus[g], reaches_anything), std::move(predicted));
  }
}

std::string Predictor::tell_hits(const SweepApplication& app, std::span<const configs::Gpu> gpus) {
  find_hits(app, gpus);
  std::string told;
  append_part("", told); // so that it is not empty
  for (const Sought& one : sought_on(app, gpus)) {
    append_part(one.key, told);
    append_part(encode(*hits_on(app.input, *one.gpu, **one.programs)), told);
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

std::shared_ptr<const Expected<Programs>> Predictor::programs_on(const PredictInput& input,
                                                                 const configs::Gpu& gpu) {
  return programs_.get(values_that_reach(gpu, reaches_programs),
                       [&] { return annotate_all(input, {gpu}, {}); });
}

std::shared_ptr<const Hits> Predictor::hits_on(const PredictInput& input, const configs::Gpu& gpu,
                                               const Programs& programs) {
  return hits_.get(key_of_hits(input, gpu, programs, reaches_hits), [&] {
    return std::move(predict_hits_with_each_l2(input, gpu, programs.front(), {&gpu.l2, 1}).front());
  });
}

} // namespace kerncast::app
