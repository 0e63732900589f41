#include "followed_caches.h"

namespace kerncast::hit_rates {

std::uint64_t followed_lines(const configs::Cache& cache, std::uint64_t bytes, std::uint32_t sampling_shift) {
  return (bytes / cache.line_bytes) >> sampling_shift;
}

caches::SectoredCache cache_of(const configs::Cache& cache, std::uint64_t bytes,
                               std::uint32_t sampling_shift) {
  return {followed_lines(cache, bytes, sampling_shift), cache.ways, cache.replacement, cache.dirty_fraction};
}

OtherSizes other_sizes(const configs::Cache& cache, std::uint64_t bytes, const Effort& effort) {
  const std::uint32_t shift = effort.sampling_shift + effort.bounds_shift;
  return {cache_of(cache, bytes / 2, shift), cache_of(cache, 2 * bytes, shift), effort.bounds_shift};
}

} // namespace kerncast::hit_rates
