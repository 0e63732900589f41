// Computes rows of a sweep, by any thread of any rank.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cluster/distribution.h"
#include "predict/simulations.h"
#include "result_cache/result_cache.h"
#include "sweep/applications.h"
#include "sweep/job.h"
#include "sweep/predictor.h"
#include "sweep/stop_request.h"
#include "sweep/units.h"
#include "sweep/variants.h"

namespace kerncast::app {

class Computer {
public:
  // All must outlive the object. `cache`: see Simulations.
  Computer(const SweepJob& job, Applications& applications, std::optional<engine::ResultCache> cache,
           const StopRequest& stop);

  // Messages of encoded rows; none any more when asked to stop. Returns an
  // encoded UnitReport.
  std::string compute(const WorkUnit& unit, const cluster::Emit& emit);

  void finish() const { simulations_.trim(); }

private:
  ReadyApplication ready(std::uint32_t app);
  void compute_rows(const SweepApplication& app, const WorkUnit& unit, const cluster::Emit& emit);
  std::vector<configs::Gpu> gpus_of(const WorkUnit& unit);
  sweep::ResultRow row_of(const SweepApplication& app, const WorkUnit& unit, std::uint32_t point);

  const SweepJob& job_;
  Applications& applications_;
  const StopRequest& stop_;
  Variants variants_;
  Simulations simulations_;
  std::deque<Predictor> predictors_; // by application
};

} // namespace kerncast::app
