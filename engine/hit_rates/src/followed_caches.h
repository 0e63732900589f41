// Caches of the lines that are followed: of one line in 2^sampling_shift, in caches as much smaller.
#pragma once

#include <cstdint>

#include "caches/sectored_cache.h"
#include "configs/gpu.h"
#include "hit_rates/device_caches.h"
#include "other_sizes.h"

namespace kerncast::hit_rates {

// `bytes`: of the cache, in place of its own.
std::uint64_t followed_lines(const configs::Cache& cache, std::uint64_t bytes, std::uint32_t sampling_shift);
caches::SectoredCache cache_of(const configs::Cache& cache, std::uint64_t bytes,
                               std::uint32_t sampling_shift);
OtherSizes other_sizes(const configs::Cache& cache, std::uint64_t bytes, const Effort& effort);

} // namespace kerncast::hit_rates
