// Whoever worked on a group goes on with it; others go where most is left per worker.
#include <gtest/gtest.h>

#include "cluster/grouped_queue.h"

namespace kerncast::cluster {
namespace {

using Next = std::optional<std::size_t>;

// Group 0 costs 9, group 1 costs 8: the first worker goes to 0, the second to 1 (8 against 6 / 2), the third
// to 0 (6 / 2 against 4 / 2).
TEST(grouped_queue, workers_spread_by_what_is_left_for_each) {
  GroupedQueue queue({{0, 3}, {0, 3}, {0, 3}, {1, 4}, {1, 4}});
  EXPECT_EQ(queue.next({}), Next(0));
  EXPECT_EQ(queue.next({}), Next(3));
  EXPECT_EQ(queue.next({}), Next(1));
}

TEST(grouped_queue, workers_stay_with_their_group_until_it_is_done) {
  GroupedQueue queue({{0, 1}, {1, 9}, {0, 1}, {1, 9}});
  EXPECT_EQ(queue.next({}), Next(1));
  EXPECT_EQ(queue.next(1), Next(3));
  EXPECT_EQ(queue.next(1), Next(0));
  EXPECT_EQ(queue.next(0), Next(2));
  EXPECT_EQ(queue.next(0), Next());
}

TEST(grouped_queue, groups_may_be_empty) {
  GroupedQueue queue({{7, 1}});
  EXPECT_EQ(queue.next({}), Next(0));
  EXPECT_EQ(queue.next(7), Next());
  EXPECT_EQ(GroupedQueue({}).next({}), Next());
}

} // namespace
} // namespace kerncast::cluster
