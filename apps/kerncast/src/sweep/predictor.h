// One application on many GPUs that differ little: machine programs and hit rates are kept for as long as
// nothing that reaches them changes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "configs/gpu.h"
#include "engine/kernel.h"
#include "predict/hit_rates.h"
#include "predict/simulations.h"
#include "predict/together.h"
#include "sweep/applications.h"
#include "sweep/hits.h"
#include "sweep/recent.h"
#include "sweep/result_row.h"

namespace kerncast::app {

class Predictor {
public:
  // Must outlive the object.
  explicit Predictor(Simulations& simulations);

  // Names of the application, which is the same every time, and its numbers; what cannot run on the GPU has
  // an error. By any thread, the same bytes as a prediction by itself.
  sweep::ResultRow predict(const SweepApplication& app, const configs::Gpu& gpu);

  // Finds the hit rates on these GPUs, so that `predict` has them; for GPUs of which L2s alone differ it
  // takes little longer than for one.
  void find_hits(const SweepApplication& app, std::span<const configs::Gpu> gpus);
  // The same, and what was found as bytes for the predictor of another rank: not empty, even if there are
  // none.
  std::string tell_hits(const SweepApplication& app, std::span<const configs::Gpu> gpus);
  void put_hits(std::string_view told);

  // By all ranks, called by all with the same: each is a part of the work, for `predict` by any of them.
  void find_hits_together(const SweepApplication& app, std::span<const configs::Gpu> gpus,
                          const Together& together);
  void predict_launches_together(const SweepApplication& app, std::span<const configs::Gpu> gpus,
                                 const Together& together);

private:
  using Launches = std::vector<engine::KernelPrediction>;
  Expected<Launches> predict_launches(const SweepApplication& app, const configs::Gpu& gpu);
  Expected<engine::KernelPrediction> predict_launch(const SweepApplication& app, std::size_t launch,
                                                    const configs::Gpu& gpu, const Programs& programs,
                                                    const Hits& hits);
  std::string predicted_part(const SweepApplication& app, std::size_t launch, const configs::Gpu& gpu);
  std::shared_ptr<const Expected<Programs>> programs_on(const PredictInput& input, const configs::Gpu& gpu);
  struct Sought;
  std::vector<Sought> sought_on(const SweepApplication& app, std::span<const configs::Gpu> gpus);
  using FindHits = std::function<std::vector<Hits>(const configs::Gpu& gpu,
                                                   const std::vector<machine::MachineProgram>& programs,
                                                   std::span<const configs::Cache> l2s)>;
  void find_all(std::span<const Sought> sought, const FindHits& find);
  void find_side_by_side(std::span<const Sought> sought, const FindHits& find);
  std::shared_ptr<const Hits> hits_on(const PredictInput& input, const configs::Gpu& gpu,
                                      const Programs& programs);

  Simulations& simulations_;
  Recent<Expected<Programs>> programs_;
  Recent<Hits> hits_;
  std::mutex mutex_;                             // guards what follows
  std::map<std::string, Launches> by_all_ranks_; // by GPU: predicted together, for one row each
};

} // namespace kerncast::app
