#include "models.h"

namespace kerncast::app {

Expected<Predictions> predict_each_launch(const ModelInput& model, PredictLaunch predict_launch) {
  Predictions predictions;
  predictions.of_gpu.assign(model.gpus.size(),
                            std::vector<engine::KernelPrediction>(model.input.launches.size()));
  return for_each_launch(
             model.input, model.gpus, model.options,
             [&](const engine::KernelInput& input, std::size_t launch, std::size_t gpu) -> Expected<void> {
               Expected<engine::KernelPrediction> prediction = predict_launch(input);
               if (!prediction)
                 return tl::unexpected(prediction.error());
               predictions.of_gpu[gpu][launch] = std::move(*prediction);
               return {};
             })
      .map([&] { return std::move(predictions); });
}

} // namespace kerncast::app
