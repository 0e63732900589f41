// One cache: lines of sectors, fully associative or in sets.
//
// A line has one tag; sectors become valid one by one. Sets are chosen by a hash of the line, as powers of
// two between rows do not collide in NVIDIA's caches. Of a full set goes the least recently used line, or one
// of them with the same chance for each. What is drawn follows from the new line and from how many lines went
// before, and so is the same for the same accesses. Of dirty lines a set may hold fewer than of others: the
// least recently used one is written back then, and stays (NVIDIA: US patent 9,639,466, 2017). Left out:
// data, time, misses under way.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "caches/line_table.h"
#include "configs/gpu.h"

namespace kerncast::caches {

using SectorMask = std::uint32_t; // bit s: sector s of the line
static_assert(configs::Cache::most_sectors <= 8 * sizeof(SectorMask));

// Bit p: something of the p-th of the equal parts of a line (4 bytes of 128).
using PartMask = std::uint32_t;
inline constexpr std::uint32_t parts_per_line = 8 * sizeof(PartMask);

// The sectors of which every part is in the mask; of a mask of all parts all, also those that a line does not
// have.
inline SectorMask whole_sectors(PartMask parts, std::uint32_t parts_per_sector) {
  if (parts == ~PartMask{0})
    return ~SectorMask{0};
  const PartMask of_one = ~PartMask{0} >> (parts_per_line - parts_per_sector);
  SectorMask whole = 0;
  for (std::uint32_t first = 0, sector = 0; first < parts_per_line; first += parts_per_sector, ++sector)
    whole |= (parts >> first & of_one) == of_one ? SectorMask{1} << sector : 0;
  return whole;
}

struct CacheLine {
  std::uint64_t number = 0; // address / line size
  SectorMask valid = 0;
  SectorMask dirty = 0; // written and not yet written back
  PartMask written = 0; // while not all sectors that were written were valid

  // Those of the sectors that were valid; afterwards all are.
  SectorMask load(SectorMask sectors) { return std::exchange(valid, valid | sectors) & sectors; }

  // What is written stays without what lies around it: a sector becomes valid when all of it was written
  // (lazy fetch on read: Khairy et al., arXiv:1810.07269, 2018).
  void write(SectorMask sectors, PartMask parts, std::uint32_t parts_per_sector) {
    dirty |= sectors;
    if ((sectors & ~valid) == 0)
      return;
    written |= parts;
    valid |= sectors & whole_sectors(written, parts_per_sector);
  }
};

class SectoredCache {
public:
  // `ways` 0: fully associative. A cache of no lines holds nothing. `dirty_fraction`: of the lines of a set
  // that may be dirty, at least one.
  SectoredCache(std::uint64_t lines, std::uint32_t ways,
                configs::Replacement replacement = configs::Replacement::lru, double dirty_fraction = 1);

  // The line if it is there, from now on the most recently used of its set.
  CacheLine* find(std::uint64_t number);
  // The same, and if it was not there it is now, with no valid sector. `evicted` tells the dirty sectors of
  // the line that had to go.
  CacheLine& find_or_add(std::uint64_t number, SectorMask& evicted);
  // Writes to the line that find_or_add() gave last. Where the set then has more dirty lines than it may, the
  // one of them that was used longest ago is clean from now on: its sectors that were dirty.
  SectorMask write(CacheLine& line, SectorMask sectors, PartMask parts, std::uint32_t parts_per_sector);
  void clear();
  std::uint64_t capacity() const { return sets_.size() * ways_; }

  // Beyond so many sets a cache is as good as fully associative.
  static constexpr std::uint64_t most_sets = 1U << 22;

private:
  static constexpr std::uint32_t none = LineTable::none;
  struct Slot {
    CacheLine line;
    std::uint32_t newer = none, older = none; // of the set
  };
  struct Set {
    std::uint32_t newest = none, oldest = none;
    std::uint64_t lines = 0;
    std::uint64_t dirty_lines = 0;    // counted where they are limited
    std::uint32_t maybe_dirty = none; // lines used before it are clean
  };

  Set& set_of(std::uint64_t hash);
  CacheLine* find(std::uint64_t number, std::uint64_t hash);
  std::uint32_t take_slot(Set& set, std::uint64_t hash, SectorMask& evicted);
  std::uint32_t slot_to_leave(const Set& set, std::uint64_t hash);
  void unlink(Set& set, std::uint32_t slot);
  void link_newest(Set& set, std::uint32_t slot);

  SectorMask clean_oldest(Set& set);

  std::uint64_t ways_ = 0;
  std::uint64_t dirty_ways_ = 0; // lines of a set that may be dirty
  configs::Replacement replacement_;
  bool in_order_ = true;    // false: one set, of which lines go by chance
  std::uint64_t drawn_ = 0; // lines so far that went by chance
  std::vector<Set> sets_;
  std::vector<Slot> slots_; // grows with use up to the capacity
  LineTable table_;         // of slots
  CacheLine nothing_;       // what a cache without lines answers
};

} // namespace kerncast::caches
