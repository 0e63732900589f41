// Charges of operations become charges of lines, for all SMs of the device, and the bound is given its
// reason.
#include <gtest/gtest.h>

#include "engine/kernel.h"

namespace kerncast::engine {
namespace {

// Two groups of SMs, 3 and 2 of them; operations 0 and 2 stand in one line.
KernelPlan plan_of_two_groups() {
  KernelPlan plan;
  plan.op_sources = {{10, 1, "add.s32"}, {11, 1, "ld.global.f32"}, {10, 2, "mul.lo.s32"}, {12, 2, "exit"}};
  plan.groups = {{3, 2, {}}, {2, 1, {}}};
  return plan;
}

SmResult result(double cycles, const std::vector<std::pair<WarpState, double>>& charge_per_op) {
  SmResult out;
  out.cycles = cycles;
  for (const auto& [state, charge] : charge_per_op) {
    OpResult op;
    op.issued = charge > 0 ? 1 : 0;
    op.state_cycles[static_cast<std::size_t>(state)] = charge;
    out.warp_state_cycles[static_cast<std::size_t>(state)] += charge;
    out.resident_warp_cycles += charge;
    out.ops.push_back(op);
  }
  return out;
}

configs::Gpu gpu_of_5_sms() {
  configs::Gpu gpu;
  gpu.sms = 5;
  gpu.clock_mhz = 1000;
  return gpu;
}

constexpr auto wait_state = static_cast<std::size_t>(WarpState::wait);
constexpr auto long_scoreboard = static_cast<std::size_t>(WarpState::long_scoreboard);

TEST(explanation, sums_operations_of_a_line_over_all_sms) {
  const std::vector<SmResult> results = {result(100, {{WarpState::wait, 5},
                                                      {WarpState::long_scoreboard, 80},
                                                      {WarpState::wait, 15},
                                                      {WarpState::wait, 0}}),
                                         result(60, {{WarpState::wait, 4},
                                                     {WarpState::long_scoreboard, 50},
                                                     {WarpState::wait, 6},
                                                     {WarpState::wait, 0}})};
  const KernelPrediction prediction = combine(plan_of_two_groups(), results, gpu_of_5_sms());
  ASSERT_TRUE(prediction.explanation);
  const Explanation& e = *prediction.explanation;
  ASSERT_EQ(e.ptx_lines.size(), 2U); // line 12 never executes
  EXPECT_EQ(e.ptx_lines[0].line, 10U);
  EXPECT_EQ(e.ptx_lines[0].operations, "add.s32; mul.lo.s32");
  EXPECT_EQ(e.ptx_lines[0].issued, 3 * 2 + 2 * 2);
  EXPECT_EQ(e.ptx_lines[0].state_cycles[wait_state], 3 * (5 + 15) + 2 * (4 + 6));
  EXPECT_EQ(e.ptx_lines[1].state_cycles[long_scoreboard], 3 * 80 + 2 * 50);
  ASSERT_EQ(e.source_lines.size(), 2U);
  EXPECT_EQ(e.source_lines[0].state_cycles[wait_state], 3 * 5 + 2 * 4);
  EXPECT_EQ(e.source_lines[1].state_cycles[wait_state], 3 * 15 + 2 * 6);
  EXPECT_EQ(e.state_cycles[wait_state], prediction.warp_state_cycles.at("wait"));
  EXPECT_EQ(e.state_cycles[long_scoreboard], prediction.warp_state_cycles.at("long_scoreboard"));
}

// The slowest SM: 100 resident warp-cycles in 100 cycles, 80 of them waiting for memory.
TEST(explanation, says_what_the_slowest_sm_waits_for) {
  const std::vector<SmResult> results = {
      result(100, {{WarpState::wait, 20},
                   {WarpState::long_scoreboard, 80},
                   {WarpState::wait, 0},
                   {WarpState::wait, 0}}),
      result(60, {{WarpState::wait, 60}, {WarpState::wait, 0}, {WarpState::wait, 0}, {WarpState::wait, 0}})};
  const KernelPrediction prediction = combine(plan_of_two_groups(), results, gpu_of_5_sms());
  EXPECT_EQ(prediction.bound, "latency");
  EXPECT_EQ(prediction.explanation->achieved_warps_per_sm, 1);
  EXPECT_NE(prediction.explanation->because.find("longest for long_scoreboard, 80.0 % of their cycles"),
            std::string::npos)
      << prediction.explanation->because;
}

TEST(explanation, is_given_only_where_the_plan_asks) {
  KernelPlan plan = plan_of_two_groups();
  plan.op_sources.clear();
  const std::vector<SmResult> results = {result(100, {{WarpState::wait, 5}}),
                                         result(60, {{WarpState::wait, 4}})};
  EXPECT_FALSE(combine(plan, results, gpu_of_5_sms()).explanation);
}

} // namespace
} // namespace kerncast::engine
