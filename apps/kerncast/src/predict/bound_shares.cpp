#include "bound_shares.h"

#include <algorithm>

namespace kerncast::app {

void BoundShares::add(const engine::KernelPrediction& p, double launches) {
  auto found = std::find_if(bounds_.begin(), bounds_.end(),
                            [&](const Launches& one) { return one.largest->bound == p.bound; });
  if (found == bounds_.end())
    found = bounds_.insert(bounds_.end(), Launches{.largest = &p});
  const double time_us = launches * p.time_us;
  found->time_us += time_us;
  if (time_us > found->largest_us) {
    found->largest_us = time_us;
    found->largest = &p;
  }
}

std::vector<BoundShares::Launches> BoundShares::by_time() const {
  std::vector<Launches> sorted = bounds_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Launches& a, const Launches& b) { return a.time_us > b.time_us; });
  return sorted;
}

const engine::KernelPrediction& BoundShares::most() const { return *by_time().front().largest; }

std::vector<BoundShare> BoundShares::take() const {
  double all = 0;
  for (const Launches& one : bounds_)
    all += one.time_us;
  std::vector<BoundShare> shares;
  for (const Launches& one : by_time())
    shares.push_back({one.largest->bound, all > 0 ? one.time_us / all : 0});
  return shares;
}

void MeanUtilisation::add(const std::vector<engine::Utilisation>& of_launch, double cycles) {
  cycles_ += cycles;
  for (const engine::Utilisation& one : of_launch) {
    auto found = std::find_if(busy_cycles_.begin(), busy_cycles_.end(),
                              [&](const engine::Utilisation& sum) { return sum.resource == one.resource; });
    if (found == busy_cycles_.end())
      found = busy_cycles_.insert(busy_cycles_.end(), {one.resource, 0});
    found->fraction += one.fraction * cycles;
  }
}

std::vector<engine::Utilisation> MeanUtilisation::take() const {
  std::vector<engine::Utilisation> mean = busy_cycles_;
  for (engine::Utilisation& one : mean)
    one.fraction = cycles_ > 0 ? one.fraction / cycles_ : 0;
  std::stable_sort(mean.begin(), mean.end(), [](const engine::Utilisation& a, const engine::Utilisation& b) {
    return a.fraction > b.fraction;
  });
  return mean;
}

} // namespace kerncast::app
