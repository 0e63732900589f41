// Registers that hold values at the same position get different slots, holes in their ranges included.
#include "slots.h"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace kerncast::machine::testing {
namespace {

LiveRanges ranges_of(const std::vector<std::vector<Segment>>& by_register) {
  LiveRanges ranges;
  for (const std::vector<Segment>& segments : by_register) {
    ranges.first.push_back(static_cast<std::uint32_t>(ranges.segments.size()));
    ranges.segments.insert(ranges.segments.end(), segments.begin(), segments.end());
  }
  ranges.first.push_back(static_cast<std::uint32_t>(ranges.segments.size()));
  return ranges;
}

// The first pair of registers that share a slot at some position; empty where there is none.
std::string sharing(const LiveRanges& ranges, const SlotAssignment& assignment) {
  const auto overlap = [&](VirtualRegister a, VirtualRegister b) {
    return std::ranges::any_of(ranges.of(a), [&](const Segment& s) {
      return std::ranges::any_of(ranges.of(b),
                                 [&](const Segment& t) { return s.begin < t.end && t.begin < s.end; });
    });
  };
  for (VirtualRegister a = 0; a < ranges.register_count(); ++a)
    for (VirtualRegister b = 0; b < a; ++b)
      if (assignment.slots[a] == assignment.slots[b] && overlap(a, b))
        return std::to_string(a) + " and " + std::to_string(b);
  return {};
}

// A slot that is to be taken from 10 on takes two short ranges before; nothing else fits in between.
TEST(Slots, RangesWithHolesBeforeAnotherKeepTheirPlace) {
  const LiveRanges ranges = ranges_of({{{0, 1}, {10, 12}}, {{4, 6}, {7, 8}}, {{4, 8}}, {{5, 6}}, {{7, 9}}});
  EXPECT_EQ(sharing(ranges, assign_slots(ranges)), "");
}

std::vector<Segment> random_segments(std::mt19937& random) {
  std::vector<Segment> segments;
  std::uint32_t at = static_cast<std::uint32_t>(random() % 12);
  for (std::size_t count = 1 + random() % 4; count > 0; --count) {
    const std::uint32_t end = at + 1 + static_cast<std::uint32_t>(random() % 4);
    segments.push_back({at, end});
    at = end + 1 + static_cast<std::uint32_t>(random() % 6);
  }
  return segments;
}

// Five registers of up to four segments each over 40 positions.
TEST(Slots, NoTwoOfRandomRangesShareASlotAtTheSameTime) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::vector<Segment>> by_register(5);
    for (std::vector<Segment>& segments : by_register)
      segments = random_segments(random);
    const LiveRanges ranges = ranges_of(by_register);
    ASSERT_EQ(sharing(ranges, assign_slots(ranges)), "") << "trial " << trial;
  }
}

} // namespace
} // namespace kerncast::machine::testing
