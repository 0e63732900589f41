// Where a launch's atomic operations go: hardware carries out those of one address one after the other.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hit_counts.h"
#include "tasklist/cta_accesses.h"

namespace kerncast::hit_rates {

// Of the address that most lanes have, of as many the lowest.
std::int64_t offset_of_most_lanes(const tasklist::AccessPattern& pattern);

class AtomicAddresses {
public:
  explicit AtomicAddresses(std::size_t tasks) : tasks_(tasks) {}

  // One more warp-wide access of that task. Whether its lanes are wanted: the first accesses of a task stand
  // for all of it.
  bool begin_access(tasklist::TaskId task, std::uint32_t mask);
  void add_lane(tasklist::TaskId task, std::uint64_t address) { ++lanes_[address][task]; }
  // One more, of these lanes of a pattern with known addresses.
  void add(tasklist::TaskId task, std::uint64_t address, const tasklist::AccessPattern& pattern,
           std::uint32_t mask);

  // Adds to tasks' counts their lanes, and those at the address that most lanes of all tasks have; forgets
  // all.
  void take(std::vector<SectorCounts>& by_task);

private:
  static constexpr std::uint64_t most_accesses = 1U << 13; // of a task
  struct OfTask {
    std::uint64_t accesses = 0;
    double lanes = 0, looked_at = 0;
    double per_lane() const { return lanes / looked_at; }
  };
  using LanesOfTasks = std::unordered_map<tasklist::TaskId, std::uint64_t>;

  double weight(const LanesOfTasks& lanes) const;

  std::vector<OfTask> tasks_;
  std::unordered_map<std::uint64_t, LanesOfTasks> lanes_; // that were looked at, by address
};

} // namespace kerncast::hit_rates
