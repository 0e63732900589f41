// L2 while a launch, or a part of it, runs: it sees what misses L1, stores and atomics, in their order.
//
// What L1s let through does not depend on L2: several L2s may see the same accesses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "caches/sectored_cache.h"
#include "configs/gpu.h"
#include "hit_counts.h"
#include "hit_rates/cache_lines.h"
#include "other_sizes.h"
#include "tasklist/tasklist.h"

namespace kerncast::hit_rates {

struct L2Access {
  enum class Kind : std::uint8_t { load, store };
  std::uint64_t line = 0;         // in lines of L1
  caches::SectorMask sectors = 0; // of that line
  caches::PartMask parts = 0;     // likewise, of stores (an atomic loads, and then stores)
  tasklist::TaskId task = 0;
  std::uint8_t group = 0; // of HitCounts::by_group
  Kind kind = Kind::load;
};

// Calls load(access, line of L2, its sectors) or store(access, line of L2, its sectors, their parts).
template <class Load, class Store>
void for_each_line(std::span<const L2Access> accesses, const LinesOfL2& lines, Load&& load, Store&& store) {
  for (const L2Access& access : accesses)
    if (access.kind == L2Access::Kind::load)
      lines.for_each(access.line, access.sectors,
                     [&](std::uint64_t line, caches::SectorMask sectors, caches::SectorMask) {
                       load(access, line, sectors);
                     });
    else
      lines.for_each_written(access.line, access.sectors, access.parts,
                             [&](std::uint64_t line, caches::SectorMask sectors, caches::PartMask parts) {
                               store(access, line, sectors, parts);
                             });
}

// An L2 that launches use one after the other.
struct L2InUse {
  std::size_t number = 0; // among all L2s
  configs::Cache described;
  caches::SectoredCache cache;
  std::optional<OtherSizes> sizes = {}; // for the bounds of hit rates, if they are wanted
};

class L2Run {
public:
  // `l2` must outlive the object. `tasks`: numbers that accesses' tasks are below of.
  L2Run(L2InUse& l2, const configs::Cache& l1, std::size_t tasks);

  void run(std::span<const L2Access> accesses);

  // Adds to the L2's counts what it alone knows of the accesses since it was asked last: hits, lines added,
  // sectors written back.
  void take_counts(std::span<HitCounts> by_l2);

private:
  void load(const L2Access& access, std::uint64_t number, caches::SectorMask sectors);
  void store(const L2Access& access, std::uint64_t number, caches::SectorMask sectors,
             caches::PartMask parts);
  caches::CacheLine& find_or_add(const L2Access& access, std::uint64_t number);
  double in_l1_sectors(caches::SectorMask of_l2) const;

  L2InUse& l2_;
  LinesOfL2 lines_;
  std::uint32_t parts_per_sector_;
  std::size_t tasks_;
  HitCounts counts_;
};

} // namespace kerncast::hit_rates
