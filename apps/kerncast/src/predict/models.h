// The models that predict a launch: --model NAME.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"
#include "launches.h"
#include "sm_timeline.h"

namespace kerncast::app {

// What a model says. Where it says nothing about a number, that number is not_said.
struct Predictions {
  std::vector<std::vector<engine::KernelPrediction>> of_gpu; // [gpu][launch]; empty on ranks other than 0
  std::optional<SmTimeline> timeline;                        // if asked for
  // Set when all ranks have agreed, in the middle of the model, to end the command so.
  std::optional<cluster::Status> ended;
};
inline constexpr double not_said = std::numeric_limits<double>::quiet_NaN();

struct ModelInput {
  const PredictInput& input;
  const std::vector<configs::Gpu>& gpus;
  const PredictOptions& options;
  const cluster::Cluster& cluster;
};

struct Model {
  std::string_view name;
  Expected<Predictions> (*predict)(const ModelInput& input);
  bool simulates = false; // can explain, and has a timeline
};

std::span<const Model> models();
// Fails naming the models there are.
Expected<const Model*> find_model(std::string_view name);

// For models that need no help of other ranks: every launch on every GPU by itself.
using PredictLaunch = Expected<engine::KernelPrediction> (*)(const engine::KernelInput& input);
Expected<Predictions> predict_each_launch(const ModelInput& model, PredictLaunch predict_launch);

// The simulator. On ranks other than 0 nothing is predicted, they only help.
Expected<Predictions> predict_pipeline(const ModelInput& input);
// The published tool of 2019, for kernels of ours.
Expected<Predictions> predict_ppt_gpu_2019(const ModelInput& input);
// Closed forms.
Expected<Predictions> predict_roofline(const ModelInput& input);
Expected<Predictions> predict_volkov(const ModelInput& input);

} // namespace kerncast::app
