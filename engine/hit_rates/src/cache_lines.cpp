#include "hit_rates/cache_lines.h"

#include <algorithm>

namespace kerncast::hit_rates {

using caches::SectorMask;

std::uint32_t sector_bytes_of(const configs::Cache& cache) {
  constexpr std::uint32_t most_sectors = 8 * sizeof(SectorMask);
  return std::max(cache.sector_bytes, cache.line_bytes / most_sectors);
}

SectorMask sectors_at(std::uint64_t address, std::uint64_t bytes, const configs::Cache& cache) {
  const std::uint64_t line_bytes = cache.line_bytes, sector_bytes = sector_bytes_of(cache);
  const std::uint64_t begin = address % line_bytes;
  const std::uint64_t first = begin / sector_bytes;
  const std::uint64_t last = std::min(line_bytes - 1, begin + bytes - 1) / sector_bytes;
  return ((SectorMask{2} << last) - 1) & ~((SectorMask{1} << first) - 1);
}

LinesOfL2::LinesOfL2(const configs::Cache& l1, const configs::Cache& l2)
    : l1_line_bytes_(l1.line_bytes), l1_sector_bytes_(sector_bytes_of(l1)), l2_line_bytes_(l2.line_bytes),
      l2_sector_bytes_(sector_bytes_of(l2)),
      are_alike_(l1_line_bytes_ == l2_line_bytes_ && l1_sector_bytes_ == l2_sector_bytes_) {}

} // namespace kerncast::hit_rates
