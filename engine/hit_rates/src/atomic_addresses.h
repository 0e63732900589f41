// Where a launch's atomic operations go: hardware carries out those of one address one after the other.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hit_counts.h"
#include "tasklist/cta_accesses.h"

namespace kerncast::hit_rates {

class AtomicAddresses {
public:
  // The first so many warp-wide accesses stand for all.
  static constexpr std::uint64_t most_accesses = 1U << 15;

  bool is_full() const { return accesses_ == most_accesses; }
  void begin_access() { ++accesses_; }
  void add_lane(tasklist::TaskId task, std::uint64_t address) { ++lanes_[address][task]; }
  // All active lanes of a pattern with known addresses.
  void add_lanes(tasklist::TaskId task, std::uint64_t address, const tasklist::AccessPattern& pattern);

  // Adds to tasks' counts their lanes, and those at the address that most lanes of all tasks have; forgets
  // all.
  void take(std::vector<SectorCounts>& by_task);

private:
  using LanesOfTasks = std::unordered_map<tasklist::TaskId, std::uint64_t>;
  std::unordered_map<std::uint64_t, LanesOfTasks> lanes_; // by address
  std::uint64_t accesses_ = 0;
};

} // namespace kerncast::hit_rates
