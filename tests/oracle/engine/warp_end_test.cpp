// 000, sec. III-C: a warp is complete as soon as its final memory request has been issued. One warp of the
// kernel of Fig. 1 (an index, two independent loads, a multiply-add of both, a store) takes
//   latency(index) + interval(memory) + latency(memory) + latency(fmadd) + interval(memory)
// cycles, here with the latencies of Tables II and III; an index costs what an addition does.
#include <algorithm>

#include <gtest/gtest.h>

#include "toy_kernel.h"

namespace kerncast::engine {
namespace {

using toy::Cost;

struct Costs {
  Cost index, memory, fmadd;
};

constexpr Costs fermi = {{1, 18}, {23, 521}, {1, 18}};
constexpr Costs pascal = {{0.25, 6}, {12, 378}, {0.25, 6}};

std::vector<toy::Op> figure_1(const Costs& d) {
  const auto op = [](std::uint16_t unit, const Cost& cost, std::vector<std::uint16_t> after) {
    return toy::Op{unit, cost.interval, cost.latency, std::move(after)};
  };
  return {op(0, d.index, {}), op(1, d.memory, {0}), op(1, d.memory, {0}), op(0, d.fmadd, {1, 2}),
          op(1, d.memory, {3})};
}

// The paper has no issue limit: two pipelines, up to two instructions a cycle.
SmWorkload run_of(const std::vector<toy::Op>& ops, std::uint64_t repeats, std::uint32_t resident,
                  std::uint64_t groups, configs::WarpEnd end) {
  SmConfig config = toy::one_scheduler(2, 2, configs::SchedulerPolicy::lrr);
  config.warp_end = end;
  return toy::workload(config, ops, repeats, resident, groups, true);
}

double cycles(const Costs& d, std::uint64_t groups, configs::WarpEnd end) {
  return simulate_sm(run_of(figure_1(d), 1, 1, groups, end)).cycles;
}

using enum configs::WarpEnd;

// Fermi: 18 + 23 + 521 + 18 + 23. Pascal: 6 + 12 + 378 + 6 + 12.
TEST(warp_end, one_warp_of_figure_1_ends_with_the_issue_of_its_store) {
  EXPECT_EQ(cycles(fermi, 1, last_issue), 603);
  EXPECT_EQ(cycles(pascal, 1, last_issue), 414);
}

// 18 + 23 + 521 + 18 + 521 and 6 + 12 + 378 + 6 + 378, if the store's completion counts.
TEST(warp_end, one_warp_of_figure_1_may_end_with_its_last_completion) {
  EXPECT_EQ(cycles(fermi, 1, last_completion), 1101);
  EXPECT_EQ(cycles(pascal, 1, last_completion), 780);
}

// A group that follows takes the place, and finds the memory pipeline free, as soon as the store has issued.
TEST(warp_end, groups_that_follow_each_other_begin_with_the_issue_of_the_store) {
  for (const std::uint64_t groups : {2U, 10U}) {
    EXPECT_EQ(cycles(fermi, groups, last_issue), 603.0 * static_cast<double>(groups));
    EXPECT_EQ(cycles(pascal, groups, last_issue), 414.0 * static_cast<double>(groups));
  }
}

// 000, eq. 1 for W warps of N dependent instructions, less the latency of the last instruction and with its
// interval instead: (N - 1) latency + W interval if W interval <= latency, else N W interval.
TEST(warp_end, chains_lose_the_latency_of_their_last_instruction) {
  for (const std::uint32_t warps : {1U, 3U, 16U})
    for (const std::uint64_t length : {1U, 2U, 50U})
      for (const Cost one : {Cost{1, 18}, Cost{8, 40}, Cost{23, 521}, Cost{12, 378}}) {
        const double w = warps, n = static_cast<double>(length);
        const std::vector<toy::Op> chain = {{0, one.interval, one.latency, {}}};
        const double expected =
            w * one.interval <= one.latency ? (n - 1) * one.latency + w * one.interval : n * w * one.interval;
        EXPECT_EQ(simulate_sm(run_of(chain, length, warps, warps, last_issue)).cycles, expected)
            << warps << " warps of " << length << ", interval " << one.interval;
      }
}

// What is charged to the warp's states ends with the warp, too.
TEST(warp_end, states_add_up_to_the_time_until_the_issue_of_the_store) {
  for (const Costs& device : {fermi, pascal}) {
    const SmResult result = simulate_sm(run_of(figure_1(device), 1, 1, 4, last_issue));
    double sum = 0;
    for (const double state : result.warp_state_cycles)
      sum += state;
    EXPECT_EQ(sum, result.cycles);
    EXPECT_EQ(result.resident_warp_cycles, result.cycles);
  }
}

} // namespace
} // namespace kerncast::engine
