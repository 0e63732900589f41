#include "atomic_addresses.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

namespace kerncast::hit_rates {

void AtomicAddresses::add(tasklist::TaskId task, std::uint64_t address,
                          const tasklist::AccessPattern& pattern, std::uint32_t mask) {
  if (!begin_access(task, mask))
    return;
  for (; mask != 0; mask &= mask - 1)
    add_lane(task, address + static_cast<std::uint64_t>(pattern.offsets[std::countr_zero(mask)]));
}

std::int64_t offset_of_most_lanes(const tasklist::AccessPattern& pattern) {
  std::map<std::int64_t, int> lanes;
  for (std::uint32_t mask = pattern.mask; mask != 0; mask &= mask - 1)
    ++lanes[pattern.offsets[std::countr_zero(mask)]];
  const auto most = std::max_element(lanes.begin(), lanes.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == lanes.end() ? 0 : most->first;
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
