// Lines of caches and their sectors.
#pragma once

#include <bit>
#include <cstdint>

#include "caches/sectored_cache.h"
#include "configs/gpu.h"

namespace kerncast::hit_rates {

// Sectors of a line are at least so large that a mask has a bit for each.
std::uint32_t sector_bytes_of(const configs::Cache& cache);

// Of the line that holds the byte at `address`: the sectors of that byte and the `bytes` - 1 behind it that
// lie in the line.
caches::SectorMask sectors_at(std::uint64_t address, std::uint64_t bytes, const configs::Cache& cache);

// Which lines and sectors of L2 hold sectors of lines of L1.
class LinesOfL2 {
public:
  LinesOfL2(const configs::Cache& l1, const configs::Cache& l2);

  // Calls act(line of L2, its sectors, the sectors of L1 that these hold).
  template <class Act> void for_each(std::uint64_t l1_line, caches::SectorMask sectors, Act&& act) const {
    if (are_alike_)
      return act(l1_line, sectors, sectors);
    for (caches::SectorMask left = sectors; left != 0; left &= left - 1) {
      const auto sector = static_cast<std::uint64_t>(std::countr_zero(left));
      const std::uint64_t address = l1_line * l1_line_bytes_ + sector * l1_sector_bytes_;
      act(address / l2_line_bytes_, caches::SectorMask{1} << (address % l2_line_bytes_ / l2_sector_bytes_),
          caches::SectorMask{1} << sector);
    }
  }

private:
  std::uint64_t l1_line_bytes_, l1_sector_bytes_, l2_line_bytes_, l2_sector_bytes_;
  bool are_alike_;
};

} // namespace kerncast::hit_rates
