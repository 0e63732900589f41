// A whole GPU on the threads and ranks of one job.
#pragma once

#include <cstddef>

#include "cluster/cluster.h"
#include "pdes/gpu.h"
#include "pdes/shared_gpu.h"

namespace kerncast::cluster {

// Called by all ranks with the same workload. Process i lives on rank i modulo ranks; after every window each
// rank sends one message to each other one. On rank 0 the result, on the others nothing: byte for byte the
// same for any number of ranks and threads. `l2`: see pdes::simulate_gpu; each rank keeps its own slices.
pdes::GpuResult simulate_gpu(const Cluster& cluster, const pdes::GpuWorkload& workload, std::size_t threads,
                             pdes::L2Contents* l2 = nullptr);
// The same for several kernels.
pdes::SharedGpuResult simulate_shared_gpu(const Cluster& cluster, const pdes::SharedGpuWorkload& workload,
                                          std::size_t threads, pdes::L2Contents* l2 = nullptr);

} // namespace kerncast::cluster
