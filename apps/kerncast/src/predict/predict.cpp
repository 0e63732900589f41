#include "predict.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "application_timeline.h"
#include "collate.h"
#include "contents.h"
#include "input_kind.h"
#include "kernel_shares.h"
#include "lanl.h"
#include "launch_sample.h"
#include "models.h"
#include "occupancy_curves.h"
#include "on_cluster.h"
#include "read_input.h"
#include "support/files.h"
#include "total_interval.h"

namespace kerncast::app {
namespace {

// All but the times of the whole.
Prediction kernels_of(const PredictInput& input, const configs::Gpu& gpu, std::string_view model,
                      const Predictions& predictions, std::size_t g) {
  Prediction prediction;
  prediction.gpu = gpu.name;
  prediction.product = gpu.product;
  prediction.gpu_resolved = configs::resolved_values(gpu);
  prediction.model = model;
  prediction.app = input.name;
  prediction.kernels = collate(input.launches, predictions.of_gpu[g]);
  if (!predictions.sampled.empty())
    for (std::size_t row = 0; row < prediction.kernels.size(); ++row)
      prediction.kernels[row].sampled = predictions.sampled[g][row];
  return prediction;
}

timeline::SimulatedTogether together_on(const Predictions& predictions, std::size_t g) {
  return simulated_together(predictions.together.empty() ? nullptr : predictions.together[g].get());
}

// With so many spans for a trace.
Prediction to_result(const PredictInput& input, const configs::Gpu& gpu, std::string_view model,
                     const Predictions& predictions, std::size_t g, std::size_t max_spans) {
  const OfLaunch& of_launch = predictions.of_gpu[g];
  Prediction prediction = kernels_of(input, gpu, model, predictions, g);
  timeline::Timeline timeline =
      timeline::simulate_timeline(input.events, times_us(of_launch), gpu, kernel_shares(of_launch), max_spans,
                                  kernel_parts(of_launch), together_on(predictions, g));
  prediction.total_time_us = timeline.total_time_us;
  prediction.gpu_busy_us = timeline.gpu_busy_us;
  prediction.total_interval = interval_of_total(input, gpu, of_launch, timeline.total_time_us);
  prediction.assumptions = timeline::assumptions(input.events, timeline, gpu);
  prediction.timeline = std::make_shared<const timeline::Timeline>(std::move(timeline));
  return prediction;
}

Prediction to_result(const PredictInput& input, const configs::Gpu& gpu, std::string_view model,
                     const Predictions& predictions, std::size_t g, const configs::Cluster& cluster,
                     ClusterPrediction ranks) {
  Prediction prediction = kernels_of(input, gpu, model, predictions, g);
  prediction.assumptions = cluster_assumptions(input, cluster, gpu);
  for (const ranks::RankOutcome& rank : ranks.result.ranks) {
    prediction.total_time_us = std::max(prediction.total_time_us, rank.statistics.end_us);
    prediction.gpu_busy_us += rank.statistics.busy_us / static_cast<double>(ranks.result.ranks.size());
  }
  prediction.cluster = std::make_shared<const ClusterPrediction>(std::move(ranks));
  return prediction;
}

// Called by all ranks of the job, also by those that have no predictions of kernels.
Expected<void> add_ranks(const ModelInput& input, const configs::Cluster& cluster,
                         const PredictOptions& options, std::string_view model,
                         const Predictions& predictions, const Session& session, PredictResult& result) {
  for (std::size_t g = 0; g < input.gpus.size(); ++g) {
    const OfLaunch of_launch = session.cluster.is_root() ? predictions.of_gpu[g] : OfLaunch{};
    Expected<std::optional<ClusterPrediction>> ranks =
        predict_ranks(input.input, options, cluster, input.gpus[g],
                      {times_us(of_launch), kernel_shares(of_launch), kernel_parts(of_launch)}, session);
    if (!ranks)
      return tl::unexpected(ranks.error());
    if (*ranks)
      result.predictions.push_back(
          to_result(input.input, input.gpus[g], model, predictions, g, cluster, std::move(**ranks)));
  }
  return {};
}

// To the first of each GPU's `models` predictions.
Expected<void> add_curves(const ModelInput& input, const Predictions& predictions, std::size_t models,
                          PredictResult& result) {
  const std::vector<std::size_t> launches = longest_launches(input.input, predictions.of_gpu.front());
  Expected<std::vector<std::vector<OccupancyCurves>>> curves = occupancy_curves(input, launches);
  if (!curves)
    return tl::unexpected(curves.error());
  for (std::size_t g = 0; g < curves->size(); ++g)
    for (std::size_t i = 0; i < launches.size(); ++i)
      result.predictions[g * models].kernels[i].curves = std::move((*curves)[g][i]);
  return {};
}

// Of one GPU each; on ranks of the job other than 0 there are none.
Expected<void> add_predictions(const ModelInput& input, const std::vector<const Model*>& models,
                               const std::vector<Predictions>& by_model, std::size_t max_spans,
                               PredictResult& result) {
  for (std::size_t g = 0; g < by_model.front().of_gpu.size(); ++g)
    for (std::size_t m = 0; m < models.size(); ++m)
      result.predictions.push_back(
          to_result(input.input, input.gpus[g], models[m]->name, by_model[m], g, g + m == 0 ? max_spans : 0));
  if (!input.options.occupancy_curve || !input.cluster.is_root())
    return {};
  return add_curves(input, by_model.front(), models.size(), result);
}

// The simulator keeps a timeline only if it is that of an SM.
PredictOptions options_of_kernels(PredictOptions options, const PredictInput& input, bool on_cluster) {
  if (timeline_of(options, input, on_cluster) != TimelineOf::sm)
    options.timeline.clear();
  return options;
}

// What needs a simulator, and what the one SM that stands for all.
Expected<void> check_model(const PredictOptions& options, const PredictInput& input, const Model& model) {
  const bool traces_sm = !options.timeline.empty();
  if (!model.simulates && (options.explain || traces_sm))
    return fail(fmt::format("the model {} does not simulate warps", model.name),
                "leave out --explain, --what-if and --timeline of an SM, or --model");
  if (traces_sm && input.launches.empty())
    return fail("--timeline-of sm: no kernel is launched", "leave it out");
  if (!options.whole_gpu)
    return {};
  if (options.model == every_model || !model.simulates)
    return fail("--fidelity gpu is a way to simulate", "leave out --model or --fidelity");
  if (options.what_if || traces_sm || !options.cache.empty())
    return fail("--what-if, --cache and --timeline of an SM are those of one SM", "leave out --fidelity gpu");
  return {};
}

Expected<PredictResult> predict_launches(SourceText source, const PredictOptions& options,
                                         const std::vector<configs::Gpu>& gpus,
                                         const std::optional<configs::Cluster>& cluster,
                                         const Session& session) {
  const Expected<std::vector<const Model*>> models =
      find_models(options.model.empty() ? simulator : options.model);
  if (!models)
    return tl::unexpected(models.error());
  Expected<PredictInput> input = read_input(std::move(source), options);
  if (!input)
    return tl::unexpected(input.error());
  const PredictOptions of_kernels = options_of_kernels(options, *input, cluster.has_value());
  if (const Expected<void> allowed = check_model(of_kernels, *input, *models->front()); !allowed)
    return tl::unexpected(allowed.error());
  use_contents(*input, options);
  const bool has_timeline = !options.timeline.empty() && of_kernels.timeline.empty() && !cluster;
  const ModelInput model_input{*input, gpus, of_kernels, session.cluster};
  const Expected<std::vector<Predictions>> by_model =
      options.sample_launches ? predict_sampled(*models, *input, gpus, of_kernels, session.cluster)
                              : predict_with(*models, model_input);
  if (!by_model)
    return tl::unexpected(by_model.error());
  PredictResult result;
  result.ended = by_model->front().ended;
  result.timeline = by_model->front().timeline;
  result.notes = by_model->front().notes;
  if (result.ended)
    return result;
  const Expected<void> done = cluster ? add_ranks(model_input, *cluster, options, models->front()->name,
                                                  by_model->front(), session, result)
                                      : add_predictions(model_input, *models, *by_model,
                                                        has_timeline ? max_application_spans : 0, result);
  if (!done)
    return tl::unexpected(done.error());
  if (has_timeline && !result.predictions.empty())
    result.application = application_timeline(*input, gpus.front(), result.predictions.front(),
                                              times_us(by_model->front().of_gpu.front()));
  return result;
}

} // namespace

Expected<PredictResult> predict(const PredictOptions& options, GpuOptions gpu_options,
                                const Session& session) {
  const Expected<std::optional<configs::Cluster>> cluster =
      load_cluster(options, gpu_options, session.configs);
  if (!cluster)
    return tl::unexpected(cluster.error());
  const Expected<std::vector<configs::Gpu>> gpus = load_gpus(gpu_options, session.configs);
  Expected<SourceText> source = read_source(options.input);
  if (!gpus || !source) {
    Diagnostics errors = gpus ? Diagnostics{} : gpus.error();
    if (!source)
      errors.insert(errors.end(), source.error().begin(), source.error().end());
    return tl::unexpected(std::move(errors));
  }
  if (const Expected<void> allowed = check_entry(*source, options.entry); !allowed)
    return tl::unexpected(allowed.error());
  if (kind_of(*source) == InputKind::ppt_lanl)
    return predict_lanl(*source, options, *gpus);
  if (*cluster && kind_of(*source) != InputKind::application)
    return fail("--cluster takes an application file",
                "a kernel has no ranks; docs/clusters.md shows an application");
  if (gpus->empty())
    return fail("--gpu is missing", "'kerncast gpus' lists the GPUs there are");
  return predict_launches(std::move(*source), options, *gpus, *cluster, session);
}

Diagnostics assumptions_as_errors(const std::vector<Prediction>& predictions) {
  Diagnostics errors;
  const auto add = [&](const Prediction& prediction, std::string_view what,
                       const std::vector<std::string>& assumptions) {
    for (const std::string& assumption : assumptions) {
      Diagnostic d;
      d.message = fmt::format("--strict: {} on {} assumes: {}", what, prediction.gpu, assumption);
      errors.push_back(std::move(d));
    }
  };
  for (const Prediction& prediction : predictions) {
    for (const KernelRow& row : prediction.kernels)
      add(prediction, row.mean.kernel, row.mean.assumptions);
    add(prediction, prediction.app, prediction.assumptions);
  }
  return errors;
}

} // namespace kerncast::app
