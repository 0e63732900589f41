// An application's ranks on the threads and ranks of one job.
#pragma once

#include <cstddef>

#include "cluster/cluster.h"
#include "ranks/ranks.h"

namespace kerncast::cluster {

// Called by all ranks of the job with the same workload; the application's ranks, nodes and switches are
// dealt out in turn. On rank 0 the result, on the others nothing: byte for byte the same for any number of
// ranks and threads.
ranks::RanksResult simulate_ranks(const Cluster& cluster, const ranks::RanksWorkload& workload,
                                  std::size_t threads);

} // namespace kerncast::cluster
