// Logical processes on threads end as they do one after the other.
#include <gtest/gtest.h>

#include "parallel/team.h"
#include "random_system.h"

namespace kerncast::pdes {
namespace {

Execution<Token> on(parallel::Team& team, std::uint32_t parts) {
  return {.placement = {1, parts},
          .for_each = [&team](std::size_t count, const auto& task) { team.for_each(count, task); },
          .exchange = {}};
}

TEST(windows_on_threads, random_systems_end_as_they_do_in_turn) {
  for (const std::size_t threads : {1U, 2U, 4U}) {
    parallel::Team team(threads);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const RandomSystem in_turn(seed, 16);
      const Statistics expected = in_turn.run();
      const RandomSystem on_threads(seed, 16);
      const Statistics done = on_threads.run(on(team, 8));
      ASSERT_EQ(on_threads.states(), in_turn.states()) << threads << " threads, seed " << seed;
      EXPECT_EQ(done.events, expected.events);
      EXPECT_EQ(done.windows, expected.windows);
    }
  }
}

// More workers than the machine may have cores, of which none need ever come: no part waits for another.
TEST(windows_on_threads, more_parts_than_workers_do_not_stand_still) {
  parallel::Team team(3);
  const RandomSystem system(4, 64);
  const Statistics done = system.run(on(team, 64));
  EXPECT_GT(done.events, 64U);
}

} // namespace
} // namespace kerncast::pdes
