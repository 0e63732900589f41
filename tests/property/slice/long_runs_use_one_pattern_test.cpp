// What an access costs in the end, when it has had too many patterns for each to have its own.
#include <gtest/gtest.h>

#include "pattern_classes.h"
#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

using tasklist::Space;

// Beyond a million uses all are one pattern, near the average; what was before is not changed by that.
TEST(LongRuns, UseTheAverageInTheEnd) {
  slice::BehaviourBuilder builder;
  slice::PatternClasses classes;
  AddressShape shape;
  shape.mask = ~0U;
  shape.bytes = 4;
  const auto found = [&](std::uint64_t stride) {
    for (std::uint32_t i = 0; i < 32; ++i)
      shape.offsets[i] = i * stride;
    return sectors_of(builder.behaviour().shapes[*classes.find(shape, Space::global, builder)]);
  };
  // 4, 8 and 12 sectors, twice as often 8.
  for (std::uint32_t k = 0; k < 1U << 18; ++k) {
    ASSERT_EQ(found(4), 4U);
    ASSERT_EQ(found(8), 8U);
    ASSERT_EQ(found(12), 12U);
    ASSERT_EQ(found(8), 8U);
  }
  EXPECT_EQ(found(4), 8U);
  EXPECT_EQ(found(12), 8U);
}

} // namespace
} // namespace kerncast::slice_test
