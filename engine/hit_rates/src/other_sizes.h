// Caches half and twice as large as one, which see the same accesses, or those to one line in so many.
#pragma once

#include <cstdint>

#include "caches/sectored_cache.h"

namespace kerncast::hit_rates {

class OtherSizes {
public:
  // Follows one line in 2^shift; both caches are as much smaller.
  OtherSizes(caches::SectoredCache half, caches::SectoredCache twice, std::uint32_t shift);
  void clear();

  // Sectors, those of lines that are not followed included by the weight of those that are.
  struct Difference {
    double lost = 0;   // of what hits: the smaller cache misses them
    double gained = 0; // of what misses: the larger one hits them
  };
  // A load of the wanted sectors, of which `hit` hit the cache itself.
  Difference load(std::uint64_t line, caches::SectorMask wanted, caches::SectorMask hit);
  // The sectors are there afterwards.
  void fill(std::uint64_t line, caches::SectorMask sectors);
  // As CacheLine::write.
  void write(std::uint64_t line, caches::SectorMask sectors, caches::PartMask parts,
             std::uint32_t parts_per_sector);
  // Afterwards they are not.
  void drop(std::uint64_t line, caches::SectorMask sectors);

private:
  bool follows(std::uint64_t line) const;

  caches::SectoredCache half_;
  caches::SectoredCache twice_;
  std::uint32_t shift_;
};

} // namespace kerncast::hit_rates
