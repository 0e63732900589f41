// The models that predict a launch: --model NAME.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analytical/models.h"
#include "cluster/cluster.h"
#include "launches.h"
#include "result.h"
#include "sm_timeline.h"
#include "times_together.h"

namespace kerncast::app {

// What a model says. Where it says nothing about a number, that number is not_said.
struct Predictions {
  std::vector<std::vector<engine::KernelPrediction>> of_gpu; // [gpu][launch]; empty on ranks other than 0
  std::vector<std::vector<std::optional<SampledLaunches>>>
      sampled;                                                // [gpu][row of collate]; empty: all simulated
  std::optional<SmTimeline> timeline;                         // if asked for
  std::vector<std::shared_ptr<const TimesTogether>> together; // [gpu], null: none; empty: of no GPU
  std::string notes;                                          // on how it was simulated, lines for stderr
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
  Expected<Predictions> (*predict)(const ModelInput& input) = nullptr; // null: a closed form
  const analytical::ClosedForm* closed_form = nullptr;
  bool simulates = false; // can explain, and has a timeline
};

inline constexpr std::string_view simulator = "pipeline";
inline constexpr std::string_view every_model = "all";

std::span<const Model> models();
// The model of this name, or for `all` the simulator and every closed form; the published tool of 2019 is not
// among them, because it refuses kernels that they accept. Fails naming the nearest model there is.
Expected<std::vector<const Model*>> find_models(std::string_view name);

// What each of the models says, in their order. Fewer where the command has ended or on other ranks.
Expected<std::vector<Predictions>> predict_with(std::span<const Model* const> models,
                                                const ModelInput& input);

// For models that need no help of other ranks: every launch on every GPU by itself.
using PredictLaunch = Expected<engine::KernelPrediction> (*)(const engine::KernelInput& input);
Expected<Predictions> predict_each_launch(const ModelInput& model, PredictLaunch predict_launch);

// The simulator. On ranks other than 0 nothing is predicted, they only help.
Expected<Predictions> predict_pipeline(const ModelInput& input);
// The published tool of 2019, for kernels of ours.
Expected<Predictions> predict_ppt_gpu_2019(const ModelInput& input);
// Closed forms, in their order.
Expected<std::vector<Predictions>> predict_closed_forms(std::span<const Model* const> models,
                                                        const ModelInput& input);

} // namespace kerncast::app
