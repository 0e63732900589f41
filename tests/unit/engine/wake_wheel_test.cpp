// When warps wake: cycle by cycle, or several cycles at once, it is the same ones.
#include "wake_wheel.h"

#include <random>

#include <gtest/gtest.h>

namespace kerncast::engine {
namespace {

constexpr std::uint64_t bit(std::uint32_t rank) { return std::uint64_t{1} << rank; }

TEST(WakeWheel, TakesTheWarpsOfSeveralCyclesAtOnce) {
  WakeWheel wheel;
  wheel.insert(0, 101, 100);
  wheel.insert(1, 103, 100);
  wheel.insert(2, 103, 100);
  wheel.insert(3, 104, 100);
  EXPECT_EQ(wheel.take_between(wheel.front(), 100, 103), bit(0) | bit(1) | bit(2));
  EXPECT_EQ(wheel.next(103), 104);
  EXPECT_EQ(wheel.take(104), bit(3));
  EXPECT_EQ(wheel.next(104), WakeWheel::never);
}

TEST(WakeWheel, SeveralCyclesEndWhereWarpsFromFarComeNear) {
  WakeWheel wheel;
  wheel.insert(0, 1'000, 100); // 1,000 is in the block from 960 on
  EXPECT_EQ(WakeWheel::near_end(wheel.front(), 100), 164);
  EXPECT_EQ(WakeWheel::near_end(wheel.front(), 950), 960);
}

TEST(WakeWheel, SeveralCyclesAtOnceAreTheseCyclesOneByOne) {
  std::mt19937 random(1);
  for (int run = 0; run < 200; ++run) {
    WakeWheel at_once;
    for (std::uint32_t rank = 0; rank < 64; ++rank)
      at_once.insert(rank, 50 + static_cast<std::int64_t>(random() % 300), 49);
    WakeWheel one_by_one = at_once;
    std::int64_t now = 49;
    while (now < 400) {
      const std::int64_t most = WakeWheel::near_end(at_once.front(), now) - 1 - now;
      const std::int64_t skipped = most > 0 ? static_cast<std::int64_t>(random()) % (most + 1) : 0;
      std::uint64_t expected = 0;
      for (std::int64_t cycle = now + 1; cycle <= now + skipped + 1; ++cycle)
        expected |= one_by_one.take(cycle);
      std::uint64_t found = at_once.take_between(at_once.front(), now, now + skipped);
      now += skipped + 1;
      found |= at_once.take(now);
      ASSERT_EQ(found, expected) << "run " << run << ", cycle " << now;
    }
    EXPECT_EQ(at_once.next(now), WakeWheel::never);
  }
}

} // namespace
} // namespace kerncast::engine
