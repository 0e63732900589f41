// Windows change nothing: every process handles the same events in the same order as in a plain event loop.
#include <numeric>

#include <gtest/gtest.h>

#include "plain_loop.h"
#include "random_system.h"

namespace kerncast::pdes {
namespace {

TEST(windows, random_systems_end_as_in_a_plain_event_loop) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto count = static_cast<ProcessId>(2 + seed % 11);
    const RandomSystem plain(seed, count);
    PlainLoop<Token> loop(plain.processes());
    plain.start(loop);
    const std::uint64_t events = loop.run();

    const RandomSystem windows(seed, count);
    const Statistics done = windows.run();
    ASSERT_EQ(windows.states(), plain.states()) << "seed " << seed;
    EXPECT_EQ(done.events, events) << "seed " << seed;
  }
}

TEST(windows, any_division_into_parts_gives_the_same) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const RandomSystem whole(seed, 12);
    const Statistics of_whole = whole.run();
    for (const std::uint32_t parts : {2U, 5U, 12U, 40U}) {
      const RandomSystem divided(seed, 12);
      const Statistics done = divided.run({.placement = {1, parts}, .exchange = {}});
      ASSERT_EQ(divided.states(), whole.states()) << "seed " << seed << ", " << parts << " parts";
      EXPECT_EQ(done.windows, of_whole.windows);
      EXPECT_EQ(done.idle_windows, of_whole.idle_windows);
    }
  }
}

// A shorter window than the lookahead only means more of them.
TEST(windows, shorter_ones_give_the_same) {
  for (std::uint64_t seed = 5; seed < 50; ++seed) {
    const RandomSystem whole(seed, 9);
    const Statistics of_whole = whole.run();
    const RandomSystem shorter(seed, 9);
    Simulation<Token> simulation(shorter.processes(), (shorter.lookahead + 1) / 2);
    shorter.start(simulation);
    const Statistics done = simulation.run();
    ASSERT_EQ(shorter.states(), whole.states()) << "seed " << seed;
    EXPECT_GE(done.windows, of_whole.windows);
  }
}

// Every window begins with something to do, and nothing is lost or handled twice.
TEST(windows, every_event_is_handled_once_and_every_window_has_work) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const RandomSystem system(seed, 7);
    const Statistics done = system.run();
    const std::uint64_t handled =
        std::accumulate(system.own.begin(), system.own.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const auto& process) { return sum + process->handled(); });
    EXPECT_EQ(done.events, handled);
    EXPECT_LE(done.windows, done.busy_windows);
    EXPECT_EQ(done.windows * 7, done.busy_windows + done.idle_windows);
  }
}

} // namespace
} // namespace kerncast::pdes
