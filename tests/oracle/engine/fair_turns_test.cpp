// A unit of the SM serves its sub-cores alike, however often it takes an instruction.
#include <gtest/gtest.h>

#include "toy_kernel.h"

namespace kerncast::engine {
namespace {

// One warp on each sub-core, all with as many independent instructions for the unit: if they are served
// alike, each is there until all but the last rounds have been served.
TEST(fair_turns, of_sub_cores_at_a_unit_of_the_sm) {
  constexpr std::uint16_t count = 512;
  for (const std::uint32_t sub_cores : {2U, 4U})
    for (const double interval : {1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0}) {
      SmConfig config = toy::one_scheduler(1, 1, configs::SchedulerPolicy::gto);
      config.sub_cores = sub_cores;
      const std::vector<toy::Op> ops(count, {0, interval, 1, {}});
      const SmResult result = simulate_sm(toy::workload(config, ops, 1, sub_cores, sub_cores));
      EXPECT_NEAR(result.cycles, count * sub_cores * interval, interval + 1)
          << sub_cores << " sub-cores, interval of " << interval;
      EXPECT_GT(result.resident_warp_cycles, 0.97 * sub_cores * result.cycles)
          << sub_cores << " sub-cores, interval of " << interval;
    }
}

} // namespace
} // namespace kerncast::engine
