#include "predict.h"

#include <fmt/format.h>

#include "collate.h"
#include "contents.h"
#include "input_kind.h"
#include "lanl.h"
#include "models.h"
#include "occupancy_curves.h"
#include "read_input.h"
#include "support/files.h"
#include "total_interval.h"

namespace kerncast::app {
namespace {

Prediction to_result(const PredictInput& input, const configs::Gpu& gpu, std::string_view model,
                     const std::vector<engine::KernelPrediction>& of_launch) {
  std::vector<double> kernel_time_us;
  for (const engine::KernelPrediction& p : of_launch)
    kernel_time_us.push_back(p.time_us);
  const timeline::Timeline timeline = timeline::simulate_timeline(input.events, kernel_time_us, gpu);
  Prediction prediction;
  prediction.gpu = gpu.name;
  prediction.product = gpu.product;
  prediction.gpu_resolved = configs::resolved_values(gpu);
  prediction.model = model;
  prediction.app = input.name;
  prediction.total_time_us = timeline.total_time_us;
  prediction.gpu_busy_us = timeline.gpu_busy_us;
  prediction.total_interval = interval_of_total(input, gpu, of_launch, timeline.total_time_us);
  prediction.kernels = collate(input.launches, of_launch);
  prediction.assumptions = timeline::assumptions(input.events);
  return prediction;
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

// What needs the one SM that stands for all.
Expected<void> check_fidelity(const PredictOptions& options, const Model& model) {
  if (!options.whole_gpu)
    return {};
  if (options.model == every_model || !model.simulates)
    return fail("--fidelity gpu is a way to simulate", "leave out --model or --fidelity");
  if (options.what_if || !options.timeline.empty() || !options.cache.empty())
    return fail("--what-if, --timeline and --cache are those of one SM", "leave out --fidelity gpu");
  return {};
}

Expected<PredictResult> predict_launches(SourceText source, const PredictOptions& options,
                                         const std::vector<configs::Gpu>& gpus, const Session& session) {
  const Expected<std::vector<const Model*>> models =
      find_models(options.model.empty() ? simulator : options.model);
  if (!models)
    return tl::unexpected(models.error());
  if (!models->front()->simulates && (options.explain || !options.timeline.empty()))
    return fail(fmt::format("the model {} does not simulate warps", models->front()->name),
                "leave out --explain, --what-if and --timeline, or --model");
  if (const Expected<void> allowed = check_fidelity(options, *models->front()); !allowed)
    return tl::unexpected(allowed.error());
  Expected<PredictInput> input = read_input(std::move(source), options);
  if (!input)
    return tl::unexpected(input.error());
  use_contents(*input, options);
  const ModelInput model_input{*input, gpus, options, session.cluster};
  const Expected<std::vector<Predictions>> by_model = predict_with(*models, model_input);
  if (!by_model)
    return tl::unexpected(by_model.error());
  PredictResult result;
  result.ended = by_model->front().ended;
  result.timeline = by_model->front().timeline;
  result.notes = by_model->front().notes;
  for (std::size_t g = 0; g < by_model->front().of_gpu.size(); ++g)
    for (std::size_t m = 0; m < models->size(); ++m)
      result.predictions.push_back(to_result(*input, gpus[g], (*models)[m]->name, (*by_model)[m].of_gpu[g]));
  if (options.occupancy_curve && session.cluster.is_root() && !result.ended)
    if (const Expected<void> done = add_curves(model_input, by_model->front(), models->size(), result); !done)
      return tl::unexpected(done.error());
  return result;
}

} // namespace

Expected<PredictResult> predict(const PredictOptions& options, const GpuOptions& gpu_options,
                                const Session& session) {
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
  if (gpus->empty())
    return fail("--gpu is missing", "'kerncast gpus' lists the GPUs there are");
  return predict_launches(std::move(*source), options, *gpus, session);
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
