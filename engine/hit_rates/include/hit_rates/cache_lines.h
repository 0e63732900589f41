// Lines of caches and their sectors.
#pragma once

#include <bit>
#include <cstdint>

#include "caches/sectored_cache.h"
#include "configs/gpu.h"

namespace kerncast::hit_rates {

// Of the line that holds the byte at `address`: the sectors of that byte and the `bytes` - 1 behind it that
// lie in the line.
caches::SectorMask sectors_at(std::uint64_t address, std::uint64_t bytes, const configs::Cache& cache);

// The parts of the line that these bytes touch.
caches::PartMask parts_at(std::uint64_t address, std::uint64_t bytes, const configs::Cache& cache);
std::uint32_t parts_per_sector(const configs::Cache& cache);

// Which lines and sectors of L2 hold sectors of lines of L1. A sector of L1 may be a part of one of L2, or
// several of them.
class LinesOfL2 {
public:
  LinesOfL2(const configs::Cache& l1, const configs::Cache& l2);

  // Calls act(line of L2, its sectors, the sectors of L1 that these hold, or hold a part of).
  template <class Act> void for_each(std::uint64_t l1_line, caches::SectorMask sectors, Act&& act) const {
    if (are_alike_)
      return act(l1_line, sectors, sectors);
    for (caches::SectorMask left = sectors; left != 0; left &= left - 1) {
      const auto sector = static_cast<std::uint64_t>(std::countr_zero(left));
      const std::uint64_t begin = l1_line * l1_line_bytes_ + sector * l1_sector_bytes_;
      const std::uint64_t end = begin + l1_sector_bytes_;
      for (std::uint64_t at = begin; at < end; at = (at / l2_.line_bytes + 1) * l2_.line_bytes)
        act(at / l2_.line_bytes, sectors_at(at, end - at, l2_), caches::SectorMask{1} << sector);
    }
  }

  // Of what is written. Calls act(line of L2, its sectors, their parts).
  template <class Act>
  void for_each_written(std::uint64_t l1_line, caches::SectorMask sectors, caches::PartMask parts,
                        Act&& act) const {
    if (are_alike_)
      return act(l1_line, sectors, parts);
    for_each(l1_line, sectors, [&](std::uint64_t line, caches::SectorMask of_l2, caches::SectorMask of_l1) {
      act(line, of_l2, parts_of_l2(line, l1_line, parts, of_l1));
    });
  }

  // What of each sector of L1 is asked from a sector of L2: all, or the part that fits.
  double part_per_sector() const { return part_per_sector_; }

private:
  // What these parts of a sector of L1 touch of the line of L2.
  caches::PartMask parts_of_l2(std::uint64_t line, std::uint64_t l1_line, caches::PartMask parts,
                               caches::SectorMask l1_sector) const;

  configs::Cache l2_;
  std::uint64_t l1_line_bytes_, l1_sector_bytes_;
  bool are_alike_;
  double part_per_sector_;
};

} // namespace kerncast::hit_rates
