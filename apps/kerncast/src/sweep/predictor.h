// One application on many GPUs that differ little: machine programs and hit rates are kept for as long as
// nothing that reaches them changes.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "configs/gpu.h"
#include "engine/kernel.h"
#include "predict/hit_rates.h"
#include "predict/simulations.h"
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

private:
  Expected<std::vector<engine::KernelPrediction>> predict_launches(const SweepApplication& app,
                                                                   const configs::Gpu& gpu);
  struct Prepared {
    Expected<Programs> programs;
    std::string orders; // of the accesses of all kernels (hit_rates::text_of_order)
  };
  static Prepared prepare(const PredictInput& input, const configs::Gpu& gpu);
  std::shared_ptr<const Prepared> prepared_on(const PredictInput& input, const configs::Gpu& gpu);
  struct Sought;
  std::vector<Sought> sought_on(const SweepApplication& app, std::span<const configs::Gpu> gpus);
  static std::size_t number_together(std::span<const Sought> sought);
  void find_together(const PredictInput& input, std::span<const Sought> sought);
  static std::string key_of_hits(const PredictInput& input, const configs::Gpu& gpu, const Prepared& prepared,
                                 bool (*reaches)(std::string_view key));
  std::shared_ptr<const Hits> hits_on(const PredictInput& input, const configs::Gpu& gpu,
                                      const Prepared& prepared);

  Simulations& simulations_;
  Recent<Prepared> prepared_;
  Recent<Hits> hits_;
};

} // namespace kerncast::app
