// --model pipeline: launches are planned into SM workloads, all workloads are simulated on threads and
// ranks, and their results become predictions again.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "annotate_all.h"
#include "engine/uncertainty.h"
#include "engine/what_if.h"
#include "models.h"
#include "outcome.h"
#include "simulate_plans.h"
#include "simulations.h"
#include "total_interval.h"
#include "varied_launches.h"
#include "whole_gpu.h"

namespace kerncast::app {
namespace {

struct Planned {
  engine::KernelPlan plan;
  std::vector<engine::RelaxedPlan> relaxed;       // --what-if
  std::optional<engine::VariedPlans> varied = {}; // for an interval of its own
};
using Plans = std::vector<std::vector<Planned>>; // [gpu][launch]

// The launches that stand for their kernels in what-if tables: most CTAs in all, of several the one in the
// middle, as the first ones may find caches empty.
std::set<std::size_t> standing_for_kernels(const PredictInput& input) {
  struct Largest {
    std::uint64_t ctas = 0;
    std::vector<std::size_t> launches;
  };
  std::map<std::uint32_t, Largest> of_kernel;
  for (std::size_t i = 0; i < input.launches.size(); ++i) {
    const LaunchJob& job = input.launches[i];
    const std::uint64_t ctas = job.launch.grid.count() * job.launches;
    Largest& largest = of_kernel[job.kernel];
    if (ctas > largest.ctas)
      largest = {.ctas = ctas, .launches = {}};
    if (ctas == largest.ctas)
      largest.launches.push_back(i);
  }
  std::set<std::size_t> standing;
  for (const auto& [kernel, largest] : of_kernel)
    standing.insert(largest.launches[largest.launches.size() / 2]);
  return standing;
}

Expected<Plans> plan_all(const ModelInput& model) {
  Plans plans(model.gpus.size(), std::vector<Planned>(model.input.launches.size()));
  const std::vector<std::size_t> varied = varied_launches(model.input);
  const std::set<std::size_t> standing =
      model.options.what_if ? standing_for_kernels(model.input) : std::set<std::size_t>();
  const Expected<void> done = for_each_launch(
      model.input, model.gpus, model.options,
      [&](const engine::KernelInput& input, std::size_t launch, std::size_t gpu) -> Expected<void> {
        Expected<engine::KernelPlan> plan = engine::plan_kernel(input);
        if (!plan)
          return tl::unexpected(plan.error());
        Planned& planned = plans[gpu][launch];
        planned.plan = std::move(*plan);
        if (standing.count(launch) != 0)
          planned.relaxed = engine::relax(input, planned.plan);
        if (model.options.interval && varied[launch] == launch)
          planned.varied = engine::vary(input, planned.plan);
        return {};
      });
  if (!done)
    return tl::unexpected(done.error());
  return plans;
}

// The plans of one launch on one GPU, in the order in which their results are taken.
std::vector<const engine::KernelPlan*> plans_of(const Planned& planned) {
  std::vector<const engine::KernelPlan*> plans = {&planned.plan};
  for (const engine::RelaxedPlan& relaxed : planned.relaxed)
    plans.push_back(&relaxed.plan);
  if (!planned.varied)
    return plans;
  if (planned.varied->start)
    plans.push_back(&*planned.varied->start);
  for (const engine::VariedPlan& varied : planned.varied->plans)
    plans.push_back(&varied.plan);
  return plans;
}

std::vector<const engine::KernelPlan*> all_plans(const Plans& plans) {
  std::vector<const engine::KernelPlan*> all;
  for (const std::vector<Planned>& on_gpu : plans)
    for (const Planned& planned : on_gpu)
      for (const engine::KernelPlan* plan : plans_of(planned))
        all.push_back(plan);
  return all;
}

// The results of each plan, in the order of all_plans; each is taken once.
using Results = std::vector<std::vector<engine::SmResult>>;

engine::KernelPrediction combine_one(const Planned& planned, const configs::Gpu& gpu,
                                     Results::const_iterator& next) {
  engine::KernelPrediction prediction = engine::combine(planned.plan, *next++, gpu);
  for (const engine::RelaxedPlan& relaxed : planned.relaxed) {
    const double cycles = engine::combine(relaxed.plan, *next++, gpu).cycles;
    prediction.explanation->what_if.push_back({relaxed.change, cycles, 1 - cycles / prediction.cycles});
  }
  if (planned.varied)
    prediction.interval =
        engine::interval_of(prediction.cycles, *planned.varied, [&](const engine::KernelPlan& plan) {
          return engine::combine(plan, *next++, gpu).cycles;
        });
  if (prediction.explanation)
    std::stable_sort(prediction.explanation->what_if.begin(), prediction.explanation->what_if.end(),
                     [](const auto& a, const auto& b) { return a.gain > b.gain; });
  return prediction;
}

Predictions combine_all(const Plans& plans, const ModelInput& model, const Results& results) {
  const std::vector<configs::Gpu>& gpus = model.gpus;
  Results::const_iterator next = results.begin();
  Predictions predictions;
  predictions.of_gpu.resize(gpus.size());
  const std::vector<std::size_t> varied = varied_launches(model.input);
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    std::vector<engine::KernelPrediction>& of_launch = predictions.of_gpu[g];
    for (const Planned& planned : plans[g])
      of_launch.push_back(combine_one(planned, gpus[g], next));
    for (std::size_t i = 0; i < of_launch.size(); ++i)
      of_launch[i].interval = of_launch[varied[i]].interval;
  }
  return predictions;
}

// Of the launch that takes the most time in all, on the first GPU.
SmTimeline timeline_of_longest(const ModelInput& model, const Plans& plans, const Predictions& predictions) {
  std::size_t longest = 0;
  double longest_us = -1;
  for (std::size_t i = 0; i < model.input.launches.size(); ++i) {
    const double us =
        predictions.of_gpu[0][i].time_us * static_cast<double>(model.input.launches[i].launches);
    if (us > longest_us) {
      longest_us = us;
      longest = i;
    }
  }
  return record_timeline(plans[0][longest].plan, model.gpus[0]);
}

// Null: nothing was simulated before, and nothing is kept.
Expected<std::shared_ptr<Simulations>> simulations_of(const PredictOptions& options) {
  if (options.simulations || options.cache.empty())
    return options.simulations;
  return open_simulations(options.cache);
}

// Called by all ranks; each of them looks for what it is given among what it knows.
Results simulate_all(const ModelInput& model, const Plans& plans, Simulations* known) {
  const std::vector<const engine::KernelPlan*> all = all_plans(plans);
  if (known == nullptr)
    return simulate_plans(all, model.cluster, model.options.threads, engine::simulate_sm);
  Results results = simulate_plans(all, model.cluster, model.options.threads,
                                   [&](const engine::SmWorkload& workload) { return *known->of(workload); });
  if (model.cluster.is_root())
    known->trim();
  return results;
}

// Launch after launch, on all threads and ranks together.
Expected<Predictions> predict_whole_gpus(const ModelInput& model, const Plans& plans) {
  const Expected<Programs> programs = annotate_all(model.input, model.gpus, model.options);
  if (!programs)
    return tl::unexpected(programs.error());
  Predictions predictions;
  if (model.cluster.is_root())
    predictions.of_gpu.resize(model.gpus.size());
  for (std::size_t g = 0; g < model.gpus.size(); ++g) {
    std::vector<const engine::KernelPlan*> on_gpu;
    for (const Planned& planned : plans[g])
      on_gpu.push_back(&planned.plan);
    WholeGpu gpu(model.input, model.options, model.gpus[g], (*programs)[g], model.cluster);
    for (WholeGpuPrediction& predicted : gpu.predict(on_gpu)) {
      predictions.of_gpu[g].push_back(std::move(predicted.prediction));
      predictions.notes += predicted.note;
    }
    predictions.together.push_back(gpu.simulate_overlaps(
        on_gpu, model.cluster.is_root() ? predictions.of_gpu[g] : OfLaunch{}, predictions.notes));
  }
  return predictions;
}

} // namespace

Expected<Predictions> predict_pipeline(const ModelInput& model) {
  const Expected<std::shared_ptr<Simulations>> known = simulations_of(model.options);
  const Expected<Plans> plans = known ? plan_all(model) : tl::unexpected(known.error());
  // A rank that could not plan must not leave the others waiting for it.
  const cluster::Status status =
      model.cluster.agree(plans ? cluster::Status{} : cluster::Status{exit_bad_input, render(plans.error())});
  if (status.exit_code != exit_done) {
    Predictions ended;
    ended.ended = status;
    return ended;
  }
  if (model.options.whole_gpu)
    return predict_whole_gpus(model, *plans);
  const Results results = simulate_all(model, *plans, known->get());
  if (!model.cluster.is_root())
    return Predictions{};
  Predictions predictions = combine_all(*plans, model, results);
  if (!model.options.timeline.empty() && !model.input.launches.empty())
    predictions.timeline = timeline_of_longest(model, *plans, predictions);
  return predictions;
}

} // namespace kerncast::app
