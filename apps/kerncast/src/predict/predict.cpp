#include "predict.h"

#include <fmt/format.h>

#include "collate.h"
#include "input_kind.h"
#include "lanl.h"
#include "models.h"
#include "read_input.h"
#include "support/files.h"

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
  prediction.kernels = collate(input.launches, of_launch);
  return prediction;
}

Expected<PredictResult> predict_launches(SourceText source, const PredictOptions& options,
                                         const std::vector<configs::Gpu>& gpus, const Session& session) {
  const Expected<const Model*> model = find_model(options.model.empty() ? "pipeline" : options.model);
  if (!model)
    return tl::unexpected(model.error());
  if (!(*model)->simulates && (options.explain || !options.timeline.empty()))
    return fail(fmt::format("the model {} does not simulate warps", (*model)->name),
                "leave out --explain, --what-if and --timeline, or --model");
  const Expected<PredictInput> input = read_input(std::move(source), options);
  if (!input)
    return tl::unexpected(input.error());
  const Expected<Predictions> predictions = (*model)->predict({*input, gpus, options, session.cluster});
  if (!predictions)
    return tl::unexpected(predictions.error());
  PredictResult result;
  result.ended = predictions->ended;
  result.timeline = predictions->timeline;
  for (std::size_t g = 0; g < predictions->of_gpu.size(); ++g)
    result.predictions.push_back(to_result(*input, gpus[g], (*model)->name, predictions->of_gpu[g]));
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
  for (const Prediction& prediction : predictions)
    for (const KernelRow& row : prediction.kernels)
      for (const std::string& assumption : row.mean.assumptions) {
        Diagnostic d;
        d.message =
            fmt::format("--strict: {} on {} assumes: {}", row.mean.kernel, prediction.gpu, assumption);
        errors.push_back(std::move(d));
      }
  return errors;
}

} // namespace kerncast::app
