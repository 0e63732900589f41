// Whoever worked on a group goes on with it; others find what a group shares, else go where most is left per
// worker.
#include <ostream>

#include <gtest/gtest.h>

#include "cluster/grouped_queue.h"

namespace kerncast::cluster {

using Task = GroupedQueue::Task;

bool operator==(const Task& a, const Task& b) { return a.kind == b.kind && a.unit == b.unit; }
std::ostream& operator<<(std::ostream& out, const Task& task) {
  return out << "kind " << static_cast<int>(task.kind) << " unit " << task.unit;
}

namespace {

constexpr Task nothing{Task::Kind::nothing}, later{Task::Kind::later};
constexpr Task unit(std::size_t number) { return {Task::Kind::unit, number}; }
constexpr Task find(std::size_t number) { return {Task::Kind::find, number}; }

// Group 0 costs 9, group 1 costs 8. Each has a worker that found what it shares; a third one goes to 1 (6 / 2
// against 8 / 2), a fourth to 0 (6 / 2 against 4 / 3).
TEST(grouped_queue, workers_spread_by_what_is_left_for_each) {
  GroupedQueue queue({{0, 3}, {0, 3}, {0, 3}, {1, 4}, {1, 4}, {1, 0}});
  EXPECT_EQ(queue.next({}), find(0));
  EXPECT_EQ(queue.next({}), find(3));
  queue.found(0);
  queue.found(1);
  EXPECT_EQ(queue.next(0), unit(0));
  EXPECT_EQ(queue.next({}), unit(3));
  EXPECT_EQ(queue.next({}), unit(1));
}

TEST(grouped_queue, workers_stay_with_their_group_until_it_is_done) {
  GroupedQueue queue({{0, 1}, {1, 9}, {0, 1}, {1, 9}});
  EXPECT_EQ(queue.next({}), find(1));
  queue.found(1);
  EXPECT_EQ(queue.next(1), unit(1));
  EXPECT_FALSE(queue.is_done(1));
  EXPECT_EQ(queue.next(1), unit(3));
  EXPECT_TRUE(queue.is_done(1));
  EXPECT_EQ(queue.next(1), find(0));
  queue.found(0);
  EXPECT_EQ(queue.next(0), unit(0));
  EXPECT_EQ(queue.next(0), unit(2));
  EXPECT_EQ(queue.next(0), nothing);
}

TEST(grouped_queue, what_a_group_shares_is_found_by_one_worker_before_others_get_its_units) {
  GroupedQueue queue({{0, 1}, {0, 1}});
  EXPECT_EQ(queue.next({}), find(0));
  EXPECT_TRUE(queue.is_awaited(0));
  EXPECT_EQ(queue.next({}), later);
  queue.found(0);
  EXPECT_FALSE(queue.is_awaited(0));
  EXPECT_EQ(queue.next({}), unit(0));
  EXPECT_EQ(queue.next(0), unit(1));
  EXPECT_EQ(queue.next({}), nothing);
}

// Group 1 costs less than what is left of group 0, but what takes long to find should not be found last.
TEST(grouped_queue, free_workers_find_before_they_help_others) {
  GroupedQueue queue({{0, 9}, {0, 9}, {0, 9}, {1, 1}, {1, 1}});
  EXPECT_EQ(queue.next({}), find(0));
  queue.found(0);
  EXPECT_EQ(queue.next(0), unit(0));
  EXPECT_EQ(queue.next({}), find(3));
  EXPECT_EQ(queue.next({}), unit(1));
}

TEST(grouped_queue, a_single_unit_shares_with_nobody) {
  GroupedQueue queue({{7, 1}}); // other groups may be empty
  EXPECT_EQ(queue.next({}), unit(0));
  EXPECT_EQ(queue.next(7), nothing);
  EXPECT_EQ(GroupedQueue({}).next({}), nothing);
}

} // namespace
} // namespace kerncast::cluster
