// Ranks on threads end as they do one after the other.
#include <cstring>

#include <gtest/gtest.h>

#include "parallel/team.h"
#include "random_ranks.h"

namespace kerncast::ranks {
namespace {

TEST(ranks_on_threads, end_as_they_do_in_turn) {
  for (const std::size_t threads : {1U, 2U, 8U}) {
    parallel::Team team(threads);
    pdes::Execution<RankMessage> execution;
    execution.placement.parts = 8;
    execution.for_each = [&team](std::size_t count, const auto& task) { team.for_each(count, task); };
    for (std::uint64_t seed = 100; seed < 110; ++seed) {
      const test::RandomRanks app(seed);
      const RanksResult in_turn = app.run();
      const RanksResult on_threads = app.run(execution);
      EXPECT_EQ(on_threads.statistics.events, in_turn.statistics.events);
      EXPECT_EQ(on_threads.statistics.windows, in_turn.statistics.windows);
      ASSERT_EQ(on_threads.ranks.size(), in_turn.ranks.size());
      for (std::size_t i = 0; i < in_turn.ranks.size(); ++i)
        EXPECT_EQ(std::memcmp(&on_threads.ranks[i].statistics, &in_turn.ranks[i].statistics,
                              sizeof(RankStatistics)),
                  0)
            << threads << " threads, seed " << seed << ", rank " << i;
    }
  }
}

} // namespace
} // namespace kerncast::ranks
