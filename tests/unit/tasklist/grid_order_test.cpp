// The order of a grid's CTAs, from boxes and runs that were added in any order.
#include "tasklist/grid_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kerncast::tasklist {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(GridOrder, RowsOfBoxesGoSideBySide) {
  GridOrder order({3, 2, 2});
  order.add({{2, 0, 0}, {2, 1, 1}}, {{1, 4}}); // the last column
  order.add({{0, 0, 0}, {1, 1, 1}}, {{0, 8}});
  EXPECT_THAT(order.runs(), ElementsAre(ClassRun{0, 2}, ClassRun{1, 1}, ClassRun{0, 2}, ClassRun{1, 1},
                                        ClassRun{0, 2}, ClassRun{1, 1}, ClassRun{0, 2}, ClassRun{1, 1}));
}

TEST(GridOrder, AdjacentRunsOfOneClassAreOne) {
  GridOrder order({10, 1, 1});
  order.add(4, {2, 6});
  order.add(0, {2, 4});
  order.add(10, {3, 0});
  EXPECT_THAT(order.runs(), ElementsAre(ClassRun{2, 10}));
}

TEST(GridOrder, EveryClassOfAMixHasItsShareOfAnyFirstFew) {
  GridOrder order({6, 2, 1});
  order.add({{0, 0, 0}, {5, 1, 0}}, {{0, 8}, {1, 4}});
  std::uint64_t ctas = 0, of_one = 0;
  for (const ClassRun& run : order.runs()) {
    for (std::uint64_t i = 0; i < run.count; ++i) {
      of_one += run.cta_class;
      EXPECT_NEAR(static_cast<double>(of_one), static_cast<double>(++ctas) / 3, 1);
    }
  }
  EXPECT_EQ(ctas, 12U);
  EXPECT_EQ(of_one, 4U);
}

TEST(GridOrder, IsNotKnownWithoutCtasOrWithTooManyRuns) {
  EXPECT_FALSE(GridOrder().is_known());
  EXPECT_THAT(GridOrder().runs(), IsEmpty());
  constexpr std::uint32_t side = 512;
  GridOrder order({side, side + 1, 1});
  order.add({{0, 0, 0}, {side - 1, side - 1, 0}}, {{0, side * side / 2}, {1, side * side / 2}});
  EXPECT_TRUE(order.is_known());
  order.add({{0, side, 0}, {side - 1, side, 0}}, {{0, side}});
  EXPECT_FALSE(order.is_known());
  EXPECT_THAT(order.runs(), IsEmpty());
}

void expect_extent(const GridOrder& order, std::uint32_t cta_class, double first, double last) {
  EXPECT_DOUBLE_EQ(order.extent(cta_class).first, first) << cta_class;
  EXPECT_DOUBLE_EQ(order.extent(cta_class).last, last) << cta_class;
}

TEST(GridOrder, ExtentsReachFromTheFirstCtaOfAClassToItsLast) {
  GridOrder boxes({4, 4, 1});
  boxes.add({{0, 0, 0}, {2, 2, 0}}, {{0, 6}, {3, 3}});
  boxes.add({{3, 0, 0}, {3, 2, 0}}, {{1, 3}}); // the last column but for its end
  boxes.add({{0, 3, 0}, {3, 3, 0}}, {{2, 4}}); // the last row
  expect_extent(boxes, 0, 0, 11 / 16.0);
  expect_extent(boxes, 1, 3 / 16.0, 12 / 16.0);
  expect_extent(boxes, 2, 12 / 16.0, 1);
  expect_extent(boxes, 3, 0, 11 / 16.0);

  GridOrder runs;
  runs.add(6, {1, 2});
  runs.add(0, {0, 6});
  runs.add(8, {0, 2});
  expect_extent(runs, 0, 0, 1);
  expect_extent(runs, 1, 0.6, 0.8);
}

} // namespace
} // namespace kerncast::tasklist
