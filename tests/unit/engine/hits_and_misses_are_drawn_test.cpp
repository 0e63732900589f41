// A request's shares of hits and misses hold over whatever executes it: warps, iterations and steps.
#include <gtest/gtest.h>

#include "small_workload.h"

namespace kerncast::engine {
namespace {

constexpr double l2_bytes = 32, dram_bytes = 128;
constexpr double dram_share = 0.3;

memory_model::Request half_l1() {
  memory_model::Request request;
  request.levels[0] = {0.5, 30, 0, 0};
  request.levels[1] = {0.5 - dram_share, 200, l2_bytes, 0};
  request.levels[2] = {dram_share, 500, dram_bytes, dram_bytes};
  return request;
}

// So many warps that execute a load in so many steps of the path, all of it so many times.
SmWorkload loads(std::size_t warps, std::uint32_t steps, std::uint64_t iterations) {
  SmProgram program;
  program.requests = {half_l1()};
  program.request_pool = {0};
  program.ops = {small::with_slots(program, small::load(0), {}, {1})};
  program.slot_count = 2;
  program.loop_depth = 1;
  program.path_start = {0};
  for (std::uint32_t i = 0; i < steps; ++i)
    program.steps.push_back({.kind = Step::Kind::run, .end_op = 1});
  program.steps.push_back({.kind = Step::Kind::loop_end, .count = iterations});
  program.steps.push_back({.kind = Step::Kind::finish});
  SmWorkload workload;
  workload.program = std::make_shared<const SmProgram>(std::move(program));
  workload.config.units = {{configs::UnitScope::sm, 1}};
  workload.kinds = {{std::vector<std::uint32_t>(warps, 0)}};
  workload.ctas = {{0, 1}};
  return workload;
}

double misses(const SmWorkload& workload) { return simulate_sm(workload).dram_bytes / dram_bytes; }

// Of an additive sequence the share of so many draws is off by a few draws, of random ones by some square
// root.
TEST(hits_and_misses, are_shared_over_warps_iterations_and_steps) {
  constexpr double executions = 60;
  for (const SmWorkload& workload : {loads(60, 1, 1), loads(1, 1, 60), loads(1, 60, 1), loads(10, 6, 1),
                                     loads(1, 6, 10), loads(10, 1, 6), loads(4, 5, 3)})
    EXPECT_NEAR(misses(workload), dram_share * executions, 2);
}

TEST(hits_and_misses, are_all_or_none_at_shares_of_one_and_zero) {
  for (const double share : {0.0, 1.0}) {
    SmWorkload workload = loads(8, 3, 5);
    SmProgram program = *workload.program;
    program.requests[0].levels[0].share = 1 - share;
    program.requests[0].levels[1].share = 0;
    program.requests[0].levels[2].share = share;
    workload.program = std::make_shared<const SmProgram>(std::move(program));
    EXPECT_EQ(misses(workload), share * 8 * 3 * 5);
  }
}

} // namespace
} // namespace kerncast::engine
