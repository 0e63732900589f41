// The four-branch kernel: how many of its branches a warp executes for every number c of consecutive
// threads that take the same one.
#include <set>

#include <gmock/gmock.h>

#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

// Branches per warp = distinct values of (thread / c) % 4 among its 32 threads.
std::size_t distinct_branches(std::uint32_t warp, std::uint32_t c) {
  std::set<std::uint32_t> branches;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    branches.insert((warp * 32 + lane) / c % 4);
  return branches.size();
}

// Each branch stores once, to a place of its own.
TEST(Divergence, AWarpExecutesEachDistinctBranchOnce) {
  const Kernel kernel = Kernel::of_file("divergence.ptx", "four_branches");
  for (std::int32_t c = 1; c <= 96; ++c) {
    const auto b = kernel.execute(launch({1, 1, 1}, {384, 1, 1}, {buffer(0), integer(c)}));
    const auto& warps = b.classes.at(0).warp_paths;
    for (std::uint32_t w = 0; w < warps.size(); ++w) {
      const auto stores = store_shapes(b, kernel.list(), warps[w], tasklist::Space::global);
      EXPECT_EQ(stores.size(), distinct_branches(w, static_cast<std::uint32_t>(c)))
          << "c " << c << " warp " << w;
      std::uint32_t lanes = 0;
      for (const AddressShape& s : stores) {
        EXPECT_EQ(lanes & s.mask, 0U); // no lane takes two branches
        lanes |= s.mask;
      }
      EXPECT_EQ(lanes, ~0U);
    }
  }
}

TEST(Divergence, TheWarpIsWholeAgainBehindTheBranches) {
  const Kernel kernel = Kernel::of_file("divergence.ptx", "four_branches");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), integer(8)}));
  const auto visits = visits_of(b, 0);
  EXPECT_EQ(b.visits[visits.front()].active_mask, ~0U);
  EXPECT_EQ(b.visits[visits.back()].active_mask, ~0U);
}

TEST(Divergence, AnIndexedBranchGoesToEachLanesTarget) {
  const Kernel kernel = Kernel::of_text(R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry k()
{
  .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1;
  shl.b32 %r3, %r1, 2;
TARGETS: .branchtargets EVEN, ODD;
  brx.idx %r2, TARGETS;
EVEN:
  st.shared.u32 [%r3], %r1;
  bra.uni DONE;
ODD:
  st.shared.u32 [%r3+1024], %r1;
DONE:
  st.shared.u32 [%r3+2048], %r1;
  ret;
}
)");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {}));
  const auto stores = store_shapes(b, kernel.list(), 0, tasklist::Space::shared);
  ASSERT_EQ(stores.size(), 3U);
  EXPECT_EQ(stores[0].mask ^ stores[1].mask, ~0U);
  EXPECT_EQ(std::min(stores[0].mask, stores[1].mask), 0x55555555U);
  EXPECT_EQ(stores[2].mask, ~0U);
  EXPECT_TRUE(b.assumptions.empty());
}

// Of a kernel whose threads call through %d, with the address of f or g.
Kernel calling(const std::string& body) {
  return Kernel::of_text(R"(.version 7.8
.target sm_75
.address_size 64
.func f() { .shared .b32 a[8]; st.shared.u32 [a], 1; ret; }
.func g() { .shared .b32 b[8]; st.shared.u32 [b], 2; ret; }
.visible .entry k(.param .u64 table)
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %d;
  mov.u32 %r1, %tid.x;
)" + body + R"(
P: .callprototype _ ();
  call %d, P;
  ret;
}
)");
}

TEST(Divergence, ACallThroughARegisterGoesToEachLanesFunction) {
  const Kernel kernel = calling("setp.lt.u32 %p, %r1, 5;\nmov.u64 %d, g;\n@%p mov.u64 %d, f;");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0)}));
  const auto stores = store_shapes(b, kernel.list(), 0, tasklist::Space::shared);
  ASSERT_EQ(stores.size(), 2U);
  EXPECT_EQ(stores[0].mask ^ stores[1].mask, ~0U);
  EXPECT_EQ(std::min(stores[0].mask, stores[1].mask), 0x1fU);
  EXPECT_TRUE(b.assumptions.empty());
}

TEST(Divergence, ACallThroughAnUnknownRegisterGoesToEveryFunction) {
  const Kernel kernel = calling("ld.param.u64 %d, [table];\nld.global.u64 %d, [%d];\n\n"
                                "setp.eq.u64 %p, %d, 0;\n@%p mov.u64 %d, g;\n@!%p mov.u64 %d, f;");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0)}));
  const auto stores = store_shapes(b, kernel.list(), 0, tasklist::Space::shared);
  ASSERT_EQ(stores.size(), 2U);
  EXPECT_EQ(stores[0].mask, ~0U);
  EXPECT_EQ(stores[1].mask, ~0U);
  ASSERT_EQ(b.assumptions.size(), 1U);
  EXPECT_THAT(b.assumptions[0],
              testing::HasSubstr("the function of the call is unknown; every one is taken"));
}

TEST(Divergence, AnIndexWithoutATargetIsAnError) {
  const Kernel kernel = calling("setp.lt.u32 %p, %r1, 5;\nmov.u64 %d, g;\n@!%p mov.u64 %d, f;\n"
                                "setp.eq.u32 %p, %r1, 9;\n@%p mov.u64 %d, 8;");
  const auto result = kernel.try_execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0)}));
  ASSERT_FALSE(result);
  EXPECT_THAT(
      render(result.error()),
      testing::AllOf(testing::HasSubstr("thread (9, 0, 0): call of address 0x8, which is no function"),
                     testing::HasSubstr("test.ptx:18:")));
}

// How often a warp stores behind a ballot that lanes come to one after the other: known only if nobody that
// the mask names is still on the way. Lanes that leave the kernel early are not waited for.
std::size_t assumptions_of_ballot(const std::string& before, const std::string& behind) {
  const Kernel kernel = Kernel::of_text(R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry k()
{
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, 20;
)" + before + R"(
  vote.sync.ballot.b32 %r2, %p1, -1;
  and.b32 %r2, %r2, 1020;
  st.shared.u32 [%r2], %r1;
)" + behind + R"(
  ret;
}
)");
  return kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {})).assumptions.size();
}

TEST(Divergence, BallotsOfSomeThatTheirMaskNamesAreUnknown) {
  EXPECT_EQ(assumptions_of_ballot("", ""), 0U);
  EXPECT_EQ(assumptions_of_ballot("@%p1 bra DONE;", "DONE:"), 0U);
  EXPECT_GT(assumptions_of_ballot("@%p1 bra DONE;",
                                  "DONE:\nvote.sync.ballot.b32 %r3, %p1, -1;\nand.b32 %r3, %r3, 1020;\n"
                                  "st.shared.u32 [%r3], %r1;"),
            0U);
}

} // namespace
} // namespace kerncast::slice_test
