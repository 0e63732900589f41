// Systems of a few processes whose events can be written down.
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pdes/simulation.h"

namespace kerncast::pdes {
namespace {

using Seen = std::vector<std::pair<Time, int>>;

// Sends what it gets on to `next`, `delay` later, one less, as long as it is not 0.
class Relay : public Process<int> {
public:
  Relay(ProcessId next, Time delay) : next_(next), delay_(delay) {}
  void handle(const Event<int>& event, Outbox<int>& out) override {
    seen.emplace_back(event.time, event.payload);
    if (event.payload > 0)
      out.send(next_, event.time + delay_, event.payload - 1);
  }
  Seen seen;

private:
  ProcessId next_;
  Time delay_;
};

// 0 -> 1 -> 0 ..., each way one cycle: 3 at 0, 2 at 1, 1 at 2, 0 at 3; four windows of one cycle, in each of
// which one of the two is idle.
TEST(toy_system, a_ball_between_two_processes_takes_a_cycle_each_way) {
  Relay left(1, 1), right(0, 1);
  Simulation<int> simulation({&left, &right}, 1);
  simulation.post(0, 0, 3);
  const Statistics done = simulation.run();
  EXPECT_EQ(left.seen, (Seen{{0, 3}, {2, 1}}));
  EXPECT_EQ(right.seen, (Seen{{1, 2}, {3, 0}}));
  EXPECT_EQ(done.windows, 4U);
  EXPECT_EQ(done.events, 4U);
  EXPECT_EQ(done.sent, 3U);
  EXPECT_EQ(done.idle_windows, 4U);
  EXPECT_EQ(done.busy_windows, 4U);
  EXPECT_EQ(done.end, 4);
}

// Windows are 5 long, the ball takes 100: the windows between are not there.
TEST(toy_system, time_in_which_nothing_happens_costs_no_window) {
  Relay left(1, 100), right(0, 100);
  Simulation<int> simulation({&left, &right}, 5);
  simulation.post(0, 7, 2);
  const Statistics done = simulation.run();
  EXPECT_EQ(left.seen, (Seen{{7, 2}, {207, 0}}));
  EXPECT_EQ(done.windows, 3U);
}

// Two balls a cycle apart, lookahead 2: each window has both.
TEST(toy_system, what_lies_within_the_lookahead_shares_a_window) {
  Relay left(1, 2), right(0, 2);
  Simulation<int> simulation({&left, &right}, 2);
  simulation.post(0, 0, 5);
  simulation.post(1, 1, 5);
  EXPECT_EQ(simulation.run().windows, 6U);
}

class Collector : public Process<int> {
public:
  void handle(const Event<int>& event, Outbox<int>& out) override {
    seen.emplace_back(event.time, event.payload);
    if (event.payload == 10)
      out.send(0, event.time, 11); // to itself, at once
    if (event.payload == 11)
      out.send(0, event.time + 1000, 12);
  }
  Seen seen;
};

// At one time: what came from outside, then by source; an own event at once takes its place among them.
TEST(toy_system, events_at_one_time_are_handled_by_source) {
  Collector collector;
  Relay second(0, 4), third(0, 4);
  Simulation<int> simulation({&collector, &second, &third}, 4);
  simulation.post(2, 0, 8);
  simulation.post(1, 0, 6);
  simulation.post(0, 4, 10);
  simulation.run();
  EXPECT_EQ(collector.seen, (Seen{{4, 10}, {4, 11}, {4, 5}, {4, 7}, {1004, 12}}));
}

// Acts every 10 cycles, three times; each action is an event 10 later.
class Metronome : public Process<int> {
public:
  void handle(const Event<int>& /*event*/, Outbox<int>& /*out*/) override {}
  void advance(Time end, Outbox<int>& out) override {
    for (; next_ < end && next_ <= 30; next_ += 10)
      out.send(1, next_ + 10, 0);
    if (next_ > 30)
      next_ = never;
  }
  Time next_action() const override { return next_; }

private:
  Time next_ = 10;
};

TEST(toy_system, a_process_acts_of_its_own_accord) {
  Metronome metronome;
  Relay sink(0, 10);
  Simulation<int> simulation({&metronome, &sink}, 10);
  EXPECT_EQ(simulation.run().windows, 4U); // begin at 10, 20, 30, 40
  ASSERT_EQ(sink.seen.size(), 3U);
  EXPECT_EQ(sink.seen.back().first, 40);
}

TEST(toy_system, a_run_ends_where_it_is_told_to) {
  Relay left(1, 1), right(0, 1);
  Simulation<int> simulation({&left, &right}, 1);
  simulation.post(0, 0, 1000);
  EXPECT_EQ(simulation.run(10).events, 10U);
}

TEST(toy_system, without_events_nothing_runs) {
  Relay only(0, 1);
  Simulation<int> simulation({&only}, 1);
  EXPECT_EQ(simulation.run().windows, 0U);
}

} // namespace
} // namespace kerncast::pdes
