#include "atomic_addresses.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace kerncast::hit_rates {

void AtomicAddresses::add_lanes(tasklist::TaskId task, std::uint64_t address,
                                const tasklist::AccessPattern& pattern) {
  for (std::uint32_t lane = 0; lane < tasklist::lanes_per_warp; ++lane)
    if ((pattern.mask >> lane & 1U) != 0)
      add_lane(task, address + static_cast<std::uint64_t>(pattern.offsets[lane]));
}

bool AtomicAddresses::begin_access(tasklist::TaskId task, std::uint32_t mask) {
  OfTask& of = tasks_[task];
  const int lanes = std::popcount(mask);
  of.lanes += lanes;
  if (++of.accesses > most_accesses)
    return false;
  of.looked_at += lanes;
  return true;
}

// Of all lanes, not only of those that were looked at.
double AtomicAddresses::weight(const LanesOfTasks& lanes) const {
  std::vector<double> parts; // summed in an order that does not depend on that of a table
  for (const auto& [task, count] : lanes)
    parts.push_back(static_cast<double>(count) * tasks_[task].per_lane());
  std::sort(parts.begin(), parts.end());
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

void AtomicAddresses::take(std::vector<SectorCounts>& by_task) {
  std::pair<double, std::uint64_t> most; // lanes, and of as many the last address
  for (const auto& [address, lanes] : lanes_)
    most = std::max(most, {weight(lanes), address});
  for (tasklist::TaskId task = 0; task < tasks_.size(); ++task)
    by_task[task].atomic_lanes += tasks_[task].lanes;
  if (const auto hottest = lanes_.find(most.second); hottest != lanes_.end())
    for (const auto& [task, count] : hottest->second)
      by_task[task].hottest_lanes += static_cast<double>(count) * tasks_[task].per_lane();
  lanes_.clear();
  tasks_.assign(tasks_.size(), {});
}

} // namespace kerncast::hit_rates
