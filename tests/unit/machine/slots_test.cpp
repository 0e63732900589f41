// Registers that hold values at the same position get different slots, holes in their ranges included.
#include "slots.h"

#include <random>

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

// A slot that is to be taken from 10 on takes two short ranges before; nothing else fits in between.
TEST(Slots, RangesWithHolesBeforeAnotherKeepTheirPlace) {
  const LiveRanges ranges = ranges_of({{{0, 1}, {10, 12}}, {{4, 6}, {7, 8}}, {{4, 8}}, {{5, 6}}, {{7, 9}}});
  const SlotAssignment assignment = assign_slots(ranges);
  for (VirtualRegister a = 0; a < ranges.register_count(); ++a)
    for (VirtualRegister b = 0; b < a; ++b)
      for (const Segment& s : ranges.of(a))
        for (const Segment& t : ranges.of(b))
          EXPECT_FALSE(s.begin < t.end && t.begin < s.end && assignment.slots[a] == assignment.slots[b])
              << a << " and " << b;
}

// Five registers of up to four segments each over 40 positions.
TEST(Slots, NoTwoOfRandomRangesShareASlotAtTheSameTime) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::vector<Segment>> by_register(5);
    for (std::vector<Segment>& segments : by_register)
      for (std::uint32_t at = static_cast<std::uint32_t>(random() % 12),
                         n = 1 + static_cast<std::uint32_t>(random() % 4);
           n > 0; --n) {
        const std::uint32_t end = at + 1 + static_cast<std::uint32_t>(random() % 4);
        segments.push_back({at, end});
        at = end + 1 + static_cast<std::uint32_t>(random() % 6);
      }
    const LiveRanges ranges = ranges_of(by_register);
    const SlotAssignment assignment = assign_slots(ranges);
    for (std::size_t a = 0; a < by_register.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        for (const Segment& s : by_register[a])
          for (const Segment& t : by_register[b])
            ASSERT_FALSE(s.begin < t.end && t.begin < s.end && assignment.slots[a] == assignment.slots[b])
                << "trial " << trial << ", registers " << a << " and " << b;
  }
}

} // namespace
} // namespace kerncast::machine::testing
