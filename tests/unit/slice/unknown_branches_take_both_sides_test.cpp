// A branch on unknown data without a fact: both sides execute, named once with the line; loops on unknown
// data: their counted end, else one iteration.
#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

using tasklist::Space;
using testing::Test;

std::size_t count_containing(const std::vector<std::string>& texts, const std::string& part) {
  std::size_t n = 0;
  for (const std::string& t : texts)
    n += t.find(part) != std::string::npos ? 1 : 0;
  return n;
}

TEST(UnknownBranch, BothSidesExecuteWithAllLanes) {
  const Kernel kernel = Kernel::of_file("unknown_data.ptx", "threshold");
  const auto b = kernel.execute(launch({4, 1, 1}, {64, 1, 1}, {buffer(0), buffer(1), real(0)}));
  const auto stores = store_shapes(b, kernel.list(), 0, Space::global);
  ASSERT_EQ(stores.size(), 2U);
  EXPECT_EQ(stores[0].mask, ~0U);
  EXPECT_EQ(stores[1].mask, ~0U);
  ASSERT_EQ(b.assumptions.size(), 1U); // eight warps, one line
  EXPECT_NE(b.assumptions[0].find("both sides are taken"), std::string::npos);
  EXPECT_EQ(b.assumptions[0].substr(0, 5), "line ");
}

// assert(in[i] < 100): no warp comes to the call.
TEST(UnknownBranch, OfAnAssertionIsTakenToHold) {
  const Kernel kernel = Kernel::of_file("driver_functions.ptx", "_Z7assertsPKii");
  const auto b = kernel.execute(launch({4, 1, 1}, {64, 1, 1}, {buffer(0), integer(256)}));
  EXPECT_EQ(count_containing(b.assumptions, "it is taken to hold"), 1U);
  EXPECT_EQ(count_containing(b.assumptions, "both sides"), 0U);
  const tasklist::Tasklist& list = kernel.list();
  std::vector<std::uint32_t> blocks;
  for (const auto& visit : b.visits)
    blocks.push_back(visit.block);
  for (std::uint32_t block = 0; block < list.blocks.size(); ++block)
    for (const tasklist::Task& task : list.tasks_of(list.blocks[block]))
      if (list.operations[task.operation] == "call.__assertfail") {
        EXPECT_EQ(std::count(blocks.begin(), blocks.end(), block), 0);
      }
}

TEST(UnknownBranch, WhatEitherSideWroteIsUnknownBehindIt) {
  // r3 is 4 * tid on one side only: an address from it is unknown afterwards, but each side sees its own.
  const Kernel kernel = Kernel::of_text(R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1];
  mov.u32 %r2, %tid.x;
  shl.b32 %r3, %r2, 2;
  shl.b32 %r4, %r2, 2;
  setp.eq.u32 %p, %r1, 0;
  @%p bra OTHER;
  add.u32 %r3, %r3, 8;
  st.shared.u32 [%r3], %r1;
  bra.uni JOIN;
OTHER:
  add.u32 %r3, %r3, 16;
  st.shared.u32 [%r3], %r1;
JOIN:
  st.shared.u32 [%r3], %r1;
  st.shared.u32 [%r4], %r1;
  ret;
}
)");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0)}));
  const auto stores = store_shapes(b, kernel.list(), 0, tasklist::Space::shared);
  ASSERT_EQ(stores.size(), 4U);
  // OTHER executes first: 16 + 4 * lane; the fall-through starts from the old r3: 8 + 4 * lane.
  EXPECT_TRUE(stores[0].place_known);
  EXPECT_EQ(stores[0].offsets[1], 20U);
  EXPECT_TRUE(stores[1].place_known);
  EXPECT_EQ(stores[1].offsets[1], 12U);
  EXPECT_FALSE(stores[2].place_known);
  EXPECT_TRUE(stores[3].place_known);
  EXPECT_EQ(count_containing(b.assumptions, "address depends on unknown data"), 1U);
}

TEST(UnknownBranch, NestedUnknownBranchesWithOneJoinForgetWhatTheyWrote) {
  // Both branches join at JOIN; the inner side's r3 must not survive it.
  const Kernel kernel = Kernel::of_text(R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .pred %p<3>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1];
  mov.u32 %r2, %tid.x;
  shl.b32 %r3, %r2, 2;
  setp.eq.u32 %p1, %r1, 0;
  setp.eq.u32 %p2, %r1, 1;
  @%p1 bra JOIN;
  @%p2 bra JOIN;
  add.u32 %r3, %r3, 8;
JOIN:
  st.shared.u32 [%r3], %r1;
  ret;
}
)");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0)}));
  EXPECT_FALSE(store_shapes(b, kernel.list(), 0, tasklist::Space::shared).at(0).place_known);
  EXPECT_EQ(count_containing(b.assumptions, "both sides are taken"), 2U);
}

TEST(UnknownBranch, ALoopOnUnknownDataRunsOnceAndSaysSo) {
  const Kernel kernel = Kernel::of_file("unknown_data.ptx", "walk");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1)}));
  EXPECT_EQ(visit_count(b, 0, kernel.list().loops.at(0).header), 1U);
  EXPECT_EQ(count_containing(b.assumptions, "1 iteration is assumed (give \"loops\""), 1U);
}

TEST(UnknownBranch, ASearchRunsToItsCountedEnd) {
  const Kernel kernel = Kernel::of_file("unknown_data.ptx", "search");
  const auto b =
      kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), integer(300), integer(7)}));
  EXPECT_EQ(load_shapes(b, kernel.list(), 0, Space::global).size(), 300U);
  EXPECT_EQ(count_containing(b.assumptions, "counted end"), 1U);
}

TEST(UnknownBranch, AnUnknownTripCountParameterGivesOneIteration) {
  const Kernel kernel = Kernel::of_file("counted_loop.ptx", "rolled_loop");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {}));
  EXPECT_EQ(visit_count(b, 0, kernel.list().loops.at(0).header), 1U);
  EXPECT_EQ(count_containing(b.assumptions, "1 iteration is assumed"), 1U);
}

} // namespace
} // namespace kerncast::slice_test
