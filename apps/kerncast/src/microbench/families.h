// The families of microbenchmarks, a file each.
#pragma once

#include "finding.h"
#include "laboratory.h"

namespace kerncast::app {

// Latency and issue interval of operations, and what one warp with independent chains reaches.
Expected<Findings> find_operations(const Laboratory& laboratory);
// Latencies of L1, L2 and DRAM, sizes of L1 and L2.
Expected<Findings> find_memory_levels(const Laboratory& laboratory);
// Sustained bandwidth of DRAM.
Expected<Findings> find_bandwidths(const Laboratory& laboratory);
// Latency of shared memory and the cost of bank conflicts.
Expected<Findings> find_shared_memory(const Laboratory& laboratory);

// Of all families. Fails with the first error.
Expected<Findings> find_all(const configs::Gpu& gpu);

} // namespace kerncast::app
