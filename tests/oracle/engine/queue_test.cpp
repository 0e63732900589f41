// A unit of interval 4 with a queue: instructions issue one a cycle until the unit is as far behind as the
// queue allows, and one an interval from then on; their results come as without a queue.
#include <algorithm>

#include <gtest/gtest.h>

#include "toy_kernel.h"

namespace kerncast::engine {
namespace {

constexpr double interval = 4, latency = 30;
constexpr double queues[] = {0, 6, 20, 1000};

// Cycles of a warp that issues `count` instructions to the unit and then one to another, which ends it when
// it issues.
double cycles(double queue, std::uint16_t count, bool waits) {
  std::vector<toy::Op> ops(count, {1, interval, latency, {}});
  ops.push_back({0, 1, 1, {}});
  if (waits)
    ops.back().after = {static_cast<std::uint16_t>(count - 1)};
  SmConfig config = toy::one_scheduler(1, 2, configs::SchedulerPolicy::gto);
  config.units[1].queue = queue;
  config.warp_end = configs::WarpEnd::last_issue;
  return simulate_sm(toy::workload(config, ops, 1, 1, 1)).cycles;
}

TEST(queue, lets_a_warp_go_on_until_it_is_full) {
  for (const double queue : queues) {
    double issued = 0;
    for (std::uint16_t count = 1; count <= 20; ++count) {
      EXPECT_EQ(cycles(queue, count, false), issued + 2)
          << count << " instructions, queue of " << queue << " cycles";
      issued = std::max(issued + 1, count * interval - queue);
    }
  }
}

TEST(queue, delays_no_result) {
  for (const double queue : queues)
    for (std::uint16_t count = 1; count <= 20; ++count)
      EXPECT_EQ(cycles(queue, count, true), (count - 1) * interval + latency + 1) << count << ", " << queue;
}

} // namespace
} // namespace kerncast::engine
