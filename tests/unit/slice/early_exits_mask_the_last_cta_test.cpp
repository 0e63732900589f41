// Guards at the grid's end: full CTAs, the CTA with the last elements, CTAs past the end.
#include <algorithm>
#include <bit>

#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

// Lanes that store, summed over the grid.
std::uint64_t stored_lanes(const Kernel& kernel, const LaunchBehaviour& b) {
  std::uint64_t lanes = 0;
  for (const tasklist::CtaClass& c : b.classes)
    for (const std::uint32_t path : c.warp_paths)
      for (const AddressShape& s : store_shapes(b, kernel.list(), path, tasklist::Space::global))
        lanes += c.cta_count * static_cast<std::uint64_t>(std::popcount(s.mask));
  return lanes;
}

TEST(EarlyExit, EveryElementIsStoredOnce) {
  const Kernel kernel = Kernel::of_file("early_exit.ptx", "early_exit");
  for (const std::int32_t n : {1, 31, 32, 33, 127, 128, 5000, 5120})
    EXPECT_EQ(stored_lanes(kernel, kernel.execute(launch({40, 1, 1}, {128, 1, 1}, {buffer(0), integer(n)}))),
              static_cast<std::uint64_t>(n));
}

TEST(EarlyExit, TheClassesAreFullLastAndEmpty) {
  // 5000 elements, 128 threads: CTAs 0..38 full (4992), CTA 39 stores 8, CTAs 40..49 store nothing.
  const Kernel kernel = Kernel::of_file("early_exit.ptx", "early_exit");
  const auto b = kernel.execute(launch({50, 1, 1}, {128, 1, 1}, {buffer(0), integer(5000)}));
  ASSERT_EQ(b.classes.size(), 3U);
  EXPECT_EQ(b.classes[0].cta_count, 39U);
  EXPECT_EQ(b.classes[1].cta_count, 1U);
  EXPECT_EQ(b.classes[2].cta_count, 10U);
  // In CTA 39 the first warp has lanes 0..7, the others none.
  const auto& last = b.classes[1].warp_paths;
  EXPECT_EQ(store_shapes(b, kernel.list(), last[0], tasklist::Space::global).at(0).mask, 0xffU);
  EXPECT_TRUE(store_shapes(b, kernel.list(), last[1], tasklist::Space::global).empty());
  EXPECT_TRUE(b.assumptions.empty());
}

TEST(EarlyExit, TheClassesLieInTheGridsOrder) {
  const Kernel kernel = Kernel::of_file("early_exit.ptx", "early_exit");
  const Launch of_5000 = launch({50, 1, 1}, {128, 1, 1}, {buffer(0), integer(5000)});
  for (const std::uint64_t executed_one_by_one : {64, 0}) {
    const auto b = kernel.execute(of_5000, {.full_execution_ctas = executed_one_by_one});
    const std::vector<tasklist::ClassRun> order = b.order->runs();
    ASSERT_EQ(order.size(), 3U);
    EXPECT_EQ(order[0].count, 39U);
    EXPECT_EQ(order[1].count, 1U);
    EXPECT_EQ(order[2].count, 10U);
    for (const tasklist::ClassRun& run : order)
      EXPECT_EQ(b.classes[run.cta_class].cta_count, run.count);
  }
}

// The rows of a stencil's grid begin and end with CTAs of the edge.
TEST(EarlyExit, TheEdgesOfAGridAreWhereTheyAre) {
  const Kernel kernel = Kernel::of_path("apps/workloads/rodinia/hotspot/hotspot.ptx", "calculate_temp");
  const auto b =
      kernel.execute(launch({43, 43, 1}, {16, 16, 1},
                            {integer(2), buffer(0), buffer(1), buffer(2), integer(512), integer(512),
                             integer(2), integer(2), real(1), real(1), real(1), real(1), real(1), real(1)}));
  std::vector<std::uint32_t> class_of_cta;
  for (const tasklist::ClassRun& run : b.order->runs())
    class_of_cta.insert(class_of_cta.end(), run.count, run.cta_class);
  ASSERT_EQ(class_of_cta.size(), 43U * 43U);
  for (std::uint32_t c = 0; c < b.classes.size(); ++c)
    EXPECT_EQ(static_cast<std::uint64_t>(std::count(class_of_cta.begin(), class_of_cta.end(), c)),
              b.classes[c].cta_count);
  const auto paths = [&](std::uint32_t x, std::uint32_t y) {
    return b.classes[class_of_cta[43 * y + x]].warp_paths;
  };
  EXPECT_NE(paths(0, 20), paths(20, 20));
  EXPECT_NE(paths(42, 20), paths(20, 20));
  EXPECT_NE(paths(20, 0), paths(20, 20));
  EXPECT_EQ(paths(0, 20), paths(0, 22));
}

TEST(EarlyExit, ACtaOf48ThreadsHasAWarpOf16) {
  const Kernel kernel = Kernel::of_file("early_exit.ptx", "early_exit");
  const auto b = kernel.execute(launch({1, 1, 1}, {48, 1, 1}, {buffer(0), integer(100)}));
  ASSERT_EQ(b.classes.at(0).warp_paths.size(), 2U);
  EXPECT_EQ(store_shapes(b, kernel.list(), b.classes[0].warp_paths[1], tasklist::Space::global).at(0).mask,
            0xffffU);
}

TEST(EarlyExit, AGuardedExitRemovesLanes) {
  const Kernel kernel = Kernel::of_text(R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry k()
{
  .reg .pred %p;
  .reg .b32 %r<3>;
  mov.u32 %r1, %tid.x;
  setp.gt.u32 %p, %r1, 3;
  @%p exit;
  shl.b32 %r2, %r1, 2;
  st.shared.u32 [%r2], %r1;
  ret;
}
)");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {}));
  EXPECT_EQ(store_shapes(b, kernel.list(), 0, tasklist::Space::shared).at(0).mask, 0xfU);
}

} // namespace
} // namespace kerncast::slice_test
