// The families of microbenchmarks, a file each.
#pragma once

#include "finding.h"
#include "laboratory.h"

namespace kerncast::app {

inline constexpr double usual_tolerance = 0.02; // of a finding, where its family has no other

// Why something cannot be told.
inline constexpr std::string_view hit_is_as_slow = "a hit costs what a miss does";
inline constexpr std::string_view sets_blur_it = "sets are full before the cache is";
inline constexpr std::string_view too_few_bytes = "too few bytes are under way";

// A level of memory from the next one: by more than what a latency may be off.
inline bool can_be_told_apart(double hit_cycles, double miss_cycles) {
  return miss_cycles > hit_cycles * (1 + usual_tolerance);
}

// Latency and issue interval of operations, and what one warp with independent chains reaches.
Expected<Findings> find_operations(const Laboratory& laboratory);
// Latencies of L1, L2 and DRAM, sizes of L1 and L2.
Expected<Findings> find_memory_levels(const Laboratory& laboratory);
// Warps that add per cycle, over warps and CTAs of an SM.
Expected<Findings> find_occupancies(const Laboratory& laboratory);
// Two units in turn.
Expected<Findings> find_unit_mixes(const Laboratory& laboratory);
// Branches that lanes of a warp take apart.
Expected<Findings> find_divergence(const Laboratory& laboratory);
Expected<Findings> find_barriers(const Laboratory& laboratory);
// Latency and size of the constant cache, and the cost of several addresses.
Expected<Findings> find_constants(const Laboratory& laboratory);
Expected<Findings> find_textures(const Laboratory& laboratory);
Expected<Findings> find_atomics(const Laboratory& laboratory);
// Sustained bandwidth of DRAM, and that of L2.
Expected<Findings> find_bandwidths(const Laboratory& laboratory);
// Latency of shared memory and the cost of bank conflicts.
Expected<Findings> find_shared_memory(const Laboratory& laboratory);

// Of all families. Fails with the first error.
Expected<Findings> find_all(const configs::Gpu& gpu);

} // namespace kerncast::app
