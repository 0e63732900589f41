#include "atomic_addresses.h"

#include <utility>

namespace kerncast::hit_rates {

void AtomicAddresses::add_lanes(tasklist::TaskId task, std::uint64_t address,
                                const tasklist::AccessPattern& pattern) {
  for (std::uint32_t lane = 0; lane < tasklist::lanes_per_warp; ++lane)
    if ((pattern.mask >> lane & 1U) != 0)
      add_lane(task, address + static_cast<std::uint64_t>(pattern.offsets[lane]));
}

void AtomicAddresses::take(std::vector<SectorCounts>& by_task) {
  const LanesOfTasks* hottest = nullptr;
  std::pair<std::uint64_t, std::uint64_t> most; // lanes, and of as many the last address
  for (const auto& [address, tasks] : lanes_) {
    std::uint64_t all = 0;
    for (const auto& [task, lanes] : tasks) {
      by_task[task].atomic_lanes += static_cast<double>(lanes);
      all += lanes;
    }
    if (const std::pair here{all, address}; here > most) {
      most = here;
      hottest = &tasks;
    }
  }
  if (hottest != nullptr)
    for (const auto& [task, lanes] : *hottest)
      by_task[task].hottest_lanes += static_cast<double>(lanes);
  lanes_.clear();
  accesses_ = 0;
}

} // namespace kerncast::hit_rates
