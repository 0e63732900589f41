// Sectors of L1 counted while the caches run, and the rates that follow. A larger sector that L2 fetches or
// writes back counts as one, a smaller one as the part that it is.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "caches/sectored_cache.h"
#include "memory_model/request.h"

namespace kerncast::hit_rates {

// Doubles, as parts of a launch are weighted; sums of whole numbers below 2^53 are exact.
struct SectorCounts {
  double l1_requested = 0; // by loads
  double l1_hit = 0;
  double l2_loaded = 0;                               // by loads that missed L1, and atomics
  double l2_hit = 0;                                  // of these
  double stored = 0;                                  // by stores
  double constant_requested = 0, constant_missed = 0; // by loads of constants
  double atomic_lanes = 0, hottest_lanes = 0; // of atomics, and at the address that most of all tasks have
  double past_l1 = 0, hottest_past_l1 = 0;    // by loads that do not ask L1, and of the line that most are of
  double translated = 0, tlb_missed = 0;      // warp-wide accesses, all of them where lines are sampled
  // Hits that caches half as large would miss, and misses that caches twice as large would hit.
  double l1_lost = 0, l1_gained = 0, l2_lost = 0, l2_gained = 0;
  double lines_added = 0; // to L2
  double cleaned = 0;     // that L2 wrote to DRAM as this left too much dirty, and not to make room
  void add(const SectorCounts& other, double weight);
};

// As they are counted.
inline double sectors_in(caches::SectorMask mask) { return double{1} * std::popcount(mask); }

// Lines are also counted in groups by hash: how the groups differ says how well sampled lines stand for all.
inline constexpr std::size_t sample_groups = 16;

struct HitCounts {
  std::vector<SectorCounts> by_task;
  std::array<SectorCounts, sample_groups> by_group;
  double written_back = 0; // sectors, L2 to DRAM
  double made_dirty = 0;   // sectors of L2 that were not dirty before
  double unknown = 0;      // sectors of accesses with unknown addresses, taken to miss

  explicit HitCounts(std::size_t tasks = 0) : by_task(tasks) {}
  void add(const HitCounts& other, double weight);
  SectorCounts total() const;
};

// Sectors that L2 writes to DRAM to make room for a line, whoever left them dirty.
double displaced_per_line(const HitCounts& counts);

// Hits over requests; stores hit L2 as far as what it writes, for the lines that these accesses add or as
// they leave too much dirty, is not more than is stored.
memory_model::HitRates rates_of(const SectorCounts& counts, double displaced_per_line);
// The counts of caches half and twice as large: what L1 then misses or hits besides, L2 has or need not.
SectorCounts with_fewer_hits(SectorCounts counts);
SectorCounts with_more_hits(SectorCounts counts);

// One standard error of the L1 and the L2 hit rate of loads, from the differences between groups.
struct SamplingError {
  double l1 = 0;
  double l2 = 0;
};
SamplingError sampling_error(const HitCounts& counts);

} // namespace kerncast::hit_rates
