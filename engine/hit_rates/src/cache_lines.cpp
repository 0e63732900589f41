#include "hit_rates/cache_lines.h"

#include <algorithm>

namespace kerncast::hit_rates {

using caches::SectorMask;

SectorMask sectors_at(std::uint64_t address, std::uint64_t bytes, const configs::Cache& cache) {
  const std::uint64_t line_bytes = cache.line_bytes, sector_bytes = cache.sector_bytes;
  const std::uint64_t begin = address % line_bytes;
  const std::uint64_t first = begin / sector_bytes;
  const std::uint64_t last = std::min(line_bytes - 1, begin + bytes - 1) / sector_bytes;
  return ((SectorMask{2} << last) - 1) & ~((SectorMask{1} << first) - 1);
}

LinesOfL2::LinesOfL2(const configs::Cache& l1, const configs::Cache& l2)
    : l2_(l2), l1_line_bytes_(l1.line_bytes), l1_sector_bytes_(l1.sector_bytes),
      are_alike_(l1.line_bytes == l2.line_bytes && l1.sector_bytes == l2.sector_bytes),
      part_per_sector_(std::min(1.0, double{1} * l2.sector_bytes / l1.sector_bytes)) {}

} // namespace kerncast::hit_rates
