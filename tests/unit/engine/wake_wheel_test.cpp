// Warps wake in the cycles for which they were put in, near and far.
#include "wake_wheel.h"

#include <array>
#include <random>

#include <gtest/gtest.h>

namespace kerncast::engine {
namespace {

constexpr std::uint64_t bit(std::uint32_t rank) { return std::uint64_t{1} << rank; }

TEST(WakeWheel, WakesWhoIsNearAndFar) {
  WakeWheel wheel;
  WakeWheel::Front front;
  wheel.insert(front, 0, 101, 100);
  wheel.insert(front, 1, 103, 100);
  wheel.insert(front, 2, 103, 100);
  EXPECT_EQ(wheel.insert(front, 3, 1'000, 100), 960) << "the block from 960 on comes near then";
  EXPECT_EQ(WakeWheel::next(front, 100), 101);
  EXPECT_EQ(wheel.take(front, 101), bit(0));
  EXPECT_EQ(wheel.take(front, 103), bit(1) | bit(2));
  EXPECT_EQ(WakeWheel::next(front, 103), 960);
  EXPECT_EQ(wheel.take(front, 960), 0U);
  EXPECT_EQ(WakeWheel::next(front, 960), 1'000);
  EXPECT_EQ(wheel.take(front, 1'000), bit(3));
  EXPECT_EQ(WakeWheel::next(front, 1'000), WakeWheel::never);
}

TEST(WakeWheel, WhoWaitsForSomebodyElseIsNotPutIn) {
  WakeWheel wheel;
  WakeWheel::Front front;
  EXPECT_EQ(wheel.insert(front, 0, WakeWheel::unknown, 100), WakeWheel::never);
  EXPECT_EQ(WakeWheel::next(front, 100), WakeWheel::never);
}

TEST(WakeWheel, WantsNothingBeforeTheNextCycle) {
  std::mt19937 random(2);
  WakeWheel wheel;
  WakeWheel::Front front;
  EXPECT_FALSE(WakeWheel::wakes(front, 49, WakeWheel::never - 1)) << "nobody waits";
  for (std::uint32_t rank = 0; rank < 64; ++rank)
    wheel.insert(front, rank, 50 + static_cast<std::int64_t>(random() % 8'000), 49);
  std::int64_t now = 49;
  for (std::int64_t next = WakeWheel::next(front, now); next != WakeWheel::never;
       next = WakeWheel::next(front, now)) {
    EXPECT_FALSE(WakeWheel::wakes(front, now, next - 1)) << "from " << now << " on";
    EXPECT_TRUE(WakeWheel::wakes(front, now, next)) << "from " << now << " on";
    EXPECT_TRUE(WakeWheel::wakes(front, now, next + 1'000)) << "from " << now << " on";
    wheel.take(front, now = next);
  }
}

TEST(WakeWheel, WakesEverybodyInTheirCycles) {
  std::mt19937 random(1);
  for (int run = 0; run < 200; ++run) {
    WakeWheel wheel;
    WakeWheel::Front front;
    std::array<std::int64_t, 64> wakes{};
    for (std::uint32_t rank = 0; rank < 64; ++rank)
      wheel.insert(front, rank, wakes[rank] = 50 + static_cast<std::int64_t>(random() % 8'000), 49);
    std::uint64_t woken = 0;
    for (std::int64_t now = WakeWheel::next(front, 49); now != WakeWheel::never;
         now = WakeWheel::next(front, now)) {
      std::uint64_t expected = 0;
      for (std::uint32_t rank = 0; rank < 64; ++rank)
        expected |= wakes[rank] == now ? bit(rank) : 0;
      const std::uint64_t taken = wheel.take(front, now);
      ASSERT_EQ(taken, expected) << "run " << run << ", cycle " << now;
      woken |= taken;
    }
    EXPECT_EQ(woken, ~std::uint64_t{0});
  }
}

} // namespace
} // namespace kerncast::engine
