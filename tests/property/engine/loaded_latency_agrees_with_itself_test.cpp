// The latency of DRAM under load that a workload is simulated with is the one that its own bandwidth leads
// to, as bisection finds it in many more runs.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "engine/simulate_plan.h"
#include "engine/simulate_sm.h"
#include "random_workload.h"

namespace kerncast::engine {
namespace {

constexpr DramLoad load = {200, 20};

double wanted_by(const SmResult& result) {
  const double x = std::min(result.dram_bytes / result.cycles, 0.995 * load.limit);
  return load.slope * x / (load.limit - x);
}

SmWorkload many_ctas(std::uint32_t seed) {
  SmWorkload workload = RandomWorkload(seed).make(policies[seed % std::size(policies)]);
  workload.config.dram_load = load;
  workload.ctas = {{0, 10 * std::uint64_t{workload.resident_ctas}}};
  return workload;
}

double cycles_by_bisection(const SmWorkload& workload) {
  double below = 0, above = wanted_by(simulate_sm(under_load(workload, 0)));
  SmResult result;
  for (int i = 0; i < 20; ++i) {
    const double middle = (below + above) / 2;
    result = simulate_sm(under_load(workload, middle));
    (wanted_by(result) > middle ? below : above) = middle;
  }
  return result.cycles;
}

TEST(loaded_latency, is_that_of_bisection) {
  double worst = 0, sum = 0;
  constexpr std::uint32_t workloads = 150;
  for (std::uint32_t seed = 0; seed < workloads; ++seed) {
    const SmWorkload workload = many_ctas(seed);
    const double expected = cycles_by_bisection(workload);
    const double difference = std::abs(simulate_sm(workload).cycles / expected - 1);
    EXPECT_LE(difference, 0.03) << "seed " << seed;
    worst = std::max(worst, difference);
    sum += difference;
  }
  EXPECT_LE(sum / workloads, 0.002);
  EXPECT_GT(worst, 0) << "none of them is under load";
}

} // namespace
} // namespace kerncast::engine
