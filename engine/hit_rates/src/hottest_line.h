// The line that loads past L1 read most: the slice of L2 that holds it sends its sectors one after the other.
//
// Lines go into slots by hash. A slot is of the line that had the last majority of the sectors there (Boyer
// and Moore, MJRTY - A Fast Majority Vote Algorithm, 1991), so a line that has more than what else falls into
// its slot is found whatever the number of lines; its sectors are counted from when it got the slot.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "hit_counts.h"
#include "tasklist/tasklist.h"

namespace kerncast::hit_rates {

class HottestLine {
public:
  explicit HottestLine(std::size_t tasks) : sectors_(tasks) {}

  void load(tasklist::TaskId task, std::uint64_t line, double sectors);

  // Adds to tasks' counts their sectors and those of the line that most of all tasks' are of, unless even
  // these are as few as a slot has of even loads; forgets all.
  void take(std::vector<SectorCounts>& by_task);

  // Of as many sectors the most frequent line is one that many read, and not any.
  bool has_many() const { return all_ >= 64.0 * static_cast<double>(slots_.size()); }

private:
  struct Slot {
    std::uint64_t line = UINT64_MAX;
    double lead = 0; // sectors of the line before those of others
    double sectors = 0;
    std::map<tasklist::TaskId, double> by_task = {};
  };
  std::array<Slot, 64> slots_;
  std::vector<double> sectors_; // by task
  double all_ = 0;              // their sum
};

} // namespace kerncast::hit_rates
