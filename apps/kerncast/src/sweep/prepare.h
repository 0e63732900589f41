// A sweep that all ranks of a job are ready to compute.
//
// Rank 0 reads the sweep file and the GPUs. Each rank prepares a share of the applications and tells the
// others what it found; others prepare one only when they compute rows of it. Every file is read by one rank,
// whose copy the others have.
#pragma once

#include <cstddef>
#include <string>

#include "cluster/cluster.h"
#include "configs/loader.h"
#include "sweep/applications.h"
#include "sweep/job.h"
#include "sweep/stop_request.h"

namespace kerncast::app {

struct PreparedSweep {
  SweepJob job;
  Applications applications; // of the job, in its order
};

// Called by all ranks, which fail together: with every error of the file, its GPUs and its applications, or
// because a rank was asked to stop.
tl::expected<PreparedSweep, cluster::Status> prepare_sweep(const std::string& file,
                                                           const configs::ConfigPath& path,
                                                           std::size_t threads, const StopRequest& stop,
                                                           const cluster::Cluster& cluster);

} // namespace kerncast::app
