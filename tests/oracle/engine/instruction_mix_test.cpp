// 003, eqs. 43-45 (44 and 45 with the beta they lack in print): beta instructions of type 1 (interval 1) to
// one of type 2 (interval 4), 32 warps, instructions of type 1 per cycle over a long run:
//   one subsystem                 beta / (beta + 4)
//   two subsystems                min(1, beta / 4)
//   two with issue limit 1        min(1, beta / 4, beta / (beta + 1))
#include <algorithm>

#include <gtest/gtest.h>

#include "toy_kernel.h"

namespace kerncast::engine {
namespace {

constexpr double interval_1 = 1;
constexpr double interval_2 = 4;
constexpr std::uint32_t mix_warps = 32;

// Independent instructions, so that only intervals and issue bound the rate.
double type_1_per_cycle(int beta, std::uint16_t second_unit, std::uint32_t issue_width) {
  std::vector<toy::Op> mix(static_cast<std::size_t>(beta), {0, interval_1, interval_1, {}});
  mix.push_back({second_unit, interval_2, interval_2, {}});
  const std::uint64_t repeats = 2000;
  const SmConfig config = toy::one_scheduler(issue_width, 2, configs::SchedulerPolicy::oldest);
  const SmResult result = simulate_sm(toy::workload(config, mix, repeats, mix_warps, mix_warps));
  return static_cast<double>(beta * repeats * mix_warps) / result.cycles;
}

TEST(instruction_mix, one_subsystem_is_equation_43) {
  for (int beta : {1, 2, 3, 4, 6, 8, 16}) {
    const double expected = beta / (beta * interval_1 + interval_2);
    EXPECT_NEAR(type_1_per_cycle(beta, 0, 2), expected, 0.02 * expected) << beta;
    EXPECT_LE(type_1_per_cycle(beta, 0, 2), expected * (1 + 1e-9)) << beta;
  }
}

TEST(instruction_mix, two_subsystems_are_equation_44) {
  for (int beta : {1, 2, 3, 4, 6, 8, 16}) {
    const double expected = std::min(1 / interval_1, beta / interval_2);
    EXPECT_NEAR(type_1_per_cycle(beta, 1, 2), expected, 0.02 * expected) << beta;
    EXPECT_LE(type_1_per_cycle(beta, 1, 2), expected * (1 + 1e-9)) << beta;
  }
}

// Picking by age lets the slow unit idle now and then: within 8 %.
TEST(instruction_mix, an_issue_limit_of_one_is_equation_45) {
  for (int beta : {1, 2, 3, 4, 6, 8, 16}) {
    const double expected = std::min({1 / interval_1, beta / interval_2, beta / (beta + 1.0)});
    EXPECT_NEAR(type_1_per_cycle(beta, 1, 1), expected, 0.08 * expected) << beta;
    EXPECT_LE(type_1_per_cycle(beta, 1, 1), expected * (1 + 1e-9)) << beta;
  }
}

} // namespace
} // namespace kerncast::engine
