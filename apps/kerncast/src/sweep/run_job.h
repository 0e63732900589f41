// Computes the rows of a sweep that are missing, on all threads of all ranks, and keeps each as it is found.
#pragma once

#include <filesystem>
#include <optional>

#include "cluster/cluster.h"
#include "result_cache/result_cache.h"
#include "support/diagnostics.h"
#include "sweep/prepare.h"
#include "sweep/stop_request.h"
#include "sweep/sweep_outcome.h"

namespace kerncast::app {

struct SweepRun {
  std::filesystem::path store;
  std::size_t threads = 0;
  std::optional<engine::ResultCache> cache;
  std::filesystem::path csv; // all rows; empty: nowhere
};

// Called by all ranks; rank 0 has the file, and the outcome.
Expected<SweepOutcome> run_sweep_job(PreparedSweep& sweep, const SweepRun& run, const StopRequest& stop,
                                     const cluster::Cluster& cluster);

} // namespace kerncast::app
