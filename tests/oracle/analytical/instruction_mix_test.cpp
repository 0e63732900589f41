// Equations 43 to 45 of paper 003 with the parameters of its Fig. 12: lambda_1 = 1, lambda_2 = 4, IL = 1
// (44 and 45 with the beta that is missing in print).
#include <gtest/gtest.h>

#include "analytical/instruction_mix.h"

namespace kerncast::analytical {
namespace {

InstructionMix mix(double beta) { return {.beta = beta, .interval_1 = 1, .interval_2 = 4}; }

// beta / (beta + 4).
TEST(InstructionMixEq43, one_subsystem) {
  EXPECT_EQ(mix_ipc_one_subsystem(mix(1)), 1.0 / 5);
  EXPECT_EQ(mix_ipc_one_subsystem(mix(4)), 0.5);
  EXPECT_EQ(mix_ipc_one_subsystem(mix(12)), 0.75);
}

// beta / 4 until the first subsystem is full at beta = 4.
TEST(InstructionMixEq44, two_subsystems) {
  EXPECT_EQ(mix_ipc_two_subsystems(mix(1)), 0.25);
  EXPECT_EQ(mix_ipc_two_subsystems(mix(3)), 0.75);
  EXPECT_EQ(mix_ipc_two_subsystems(mix(4)), 1);
  EXPECT_EQ(mix_ipc_two_subsystems(mix(9)), 1);
}

// beta / 4 until beta / (beta + 1) is less, that is from beta = 3 on: 3/4, 4/5, 9/10.
TEST(InstructionMixEq45, two_subsystems_with_an_issue_limit) {
  EXPECT_EQ(mix_ipc_issue_limited(mix(1), 1), 0.25);
  EXPECT_EQ(mix_ipc_issue_limited(mix(3), 1), 0.75);
  EXPECT_EQ(mix_ipc_issue_limited(mix(4), 1), 0.8);
  EXPECT_EQ(mix_ipc_issue_limited(mix(9), 1), 0.9);
  // Two issues per cycle are no limit here.
  EXPECT_EQ(mix_ipc_issue_limited(mix(9), 2), 1);
}

} // namespace
} // namespace kerncast::analytical
