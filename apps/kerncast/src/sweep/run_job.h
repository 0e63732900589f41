// Computes the rows of a sweep that are missing, on all threads of all ranks, and keeps each as it is found.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "result_cache/result_cache.h"
#include "support/diagnostics.h"
#include "sweep/prepare.h"
#include "sweep/result_row.h"
#include "sweep/stop_request.h"

namespace kerncast::app {

struct SweepRun {
  std::filesystem::path store;
  std::size_t threads = 0;
  std::optional<engine::ResultCache> cache;
  bool csv = false;
};

struct SweepOutcome {
  std::uint64_t rows = 0;                // that there should be; of a search, that it asked for
  std::uint64_t there = 0;               // before the run
  std::uint64_t computed = 0;            // by it
  std::string stopped;                   // why it ended early; empty: it did not
  std::vector<sweep::ResultRow> results; // all rows, if it did not
  std::string csv;                       // if asked for, and it did not
};

// Called by all ranks; rank 0 has the file, and the outcome.
Expected<SweepOutcome> run_sweep_job(PreparedSweep& sweep, const SweepRun& run, const StopRequest& stop,
                                     const cluster::Cluster& cluster);

} // namespace kerncast::app
