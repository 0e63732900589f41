#include "hit_rates/cache_lines.h"

#include <algorithm>

namespace kerncast::hit_rates {

using caches::PartMask;
using caches::SectorMask;

namespace {

// Bits [first, last].
std::uint32_t bits(std::uint64_t first, std::uint64_t last) {
  return ((std::uint32_t{2} << last) - 1) & ~((std::uint32_t{1} << first) - 1);
}

// The last of these bytes that lies in the line.
std::uint64_t last_in_line(std::uint64_t address, std::uint64_t bytes, const configs::Cache& cache) {
  return std::min<std::uint64_t>(cache.line_bytes - 1, address % cache.line_bytes + bytes - 1);
}

} // namespace

SectorMask sectors_at(std::uint64_t address, std::uint64_t bytes, const configs::Cache& cache) {
  const std::uint64_t begin = address % cache.line_bytes;
  return bits(begin / cache.sector_bytes, last_in_line(address, bytes, cache) / cache.sector_bytes);
}

// A line of fewer bytes than parts has several of these in each byte.
PartMask parts_at(std::uint64_t address, std::uint64_t bytes, const configs::Cache& cache) {
  const std::uint64_t begin = address % cache.line_bytes;
  const std::uint64_t end = last_in_line(address, bytes, cache) + 1;
  return bits(begin * caches::parts_per_line / cache.line_bytes,
              (end * caches::parts_per_line - 1) / cache.line_bytes);
}

std::uint32_t parts_per_sector(const configs::Cache& cache) {
  return caches::parts_per_line * cache.sector_bytes / cache.line_bytes;
}

LinesOfL2::LinesOfL2(const configs::Cache& l1, const configs::Cache& l2)
    : l2_(l2), l1_line_bytes_(l1.line_bytes), l1_sector_bytes_(l1.sector_bytes),
      are_alike_(l1.line_bytes == l2.line_bytes && l1.sector_bytes == l2.sector_bytes),
      part_per_sector_(std::min(1.0, double{1} * l2.sector_bytes / l1.sector_bytes)) {}

PartMask LinesOfL2::parts_of_l2(std::uint64_t line, std::uint64_t l1_line, PartMask parts,
                                SectorMask l1_sector) const {
  const std::uint64_t begin = l1_line * l1_line_bytes_;
  PartMask of_line = 0;
  for (; parts != 0; parts &= parts - 1) {
    const auto part = static_cast<std::uint64_t>(std::countr_zero(parts));
    const std::uint64_t first = begin + part * l1_line_bytes_ / caches::parts_per_line;
    const std::uint64_t last = begin + ((part + 1) * l1_line_bytes_ - 1) / caches::parts_per_line;
    const std::uint64_t from = std::max(first, line * l2_.line_bytes);
    const std::uint64_t end = std::min(last + 1, (line + 1) * l2_.line_bytes);
    if ((l1_sector >> ((first - begin) / l1_sector_bytes_) & 1U) != 0 && from < end)
      of_line |= parts_at(from, end - from, l2_);
  }
  return of_line;
}

} // namespace kerncast::hit_rates
