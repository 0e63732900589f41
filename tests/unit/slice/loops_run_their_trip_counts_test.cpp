// Trip counts from parameters, nested and divergent loops, and the folding of their iterations.
#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

using tasklist::Space;

// 2 GiB
Argument wide_buffer(std::uint32_t number) { return buffer(number, 0, std::uint64_t{1} << 31); }

TEST(Loops, AnUnrolledLoopAndItsRemainderLoadEveryElement) {
  // nvcc unrolls by 4: n / 4 trips of four loads, then n % 4 trips of one.
  const Kernel kernel = Kernel::of_file("counted_loop.ptx", "counted_loop");
  for (const std::int32_t n : {0, 1, 3, 4, 5, 1023, 4096, 100001}) {
    const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {wide_buffer(0), buffer(1), integer(n)}));
    EXPECT_EQ(load_shapes(b, kernel.list(), 0, Space::global).size(), static_cast<std::size_t>(n)) << n;
  }
}

TEST(Loops, TheUnrolledLoopIsOneRepeatNode) {
  const Kernel kernel = Kernel::of_file("counted_loop.ptx", "counted_loop");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), integer(1023)}));
  std::vector<std::uint64_t> counts;
  for (const PathNode& node : b.paths.at(0).nodes)
    if (node.kind == PathNode::Kind::repeat)
      counts.push_back(node.count);
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{255, 3})); // 1023 = 255 * 4 + 3
}

TEST(Loops, NestedLoopsFoldIntoNestedRepeats) {
  const Kernel kernel = Kernel::of_file("counted_loop.ptx", "nested_loop");
  const auto b =
      kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), integer(100), integer(50)}));
  EXPECT_EQ(load_shapes(b, kernel.list(), 0, Space::global).size(), 100U * 50U);
  EXPECT_EQ(store_shapes(b, kernel.list(), 0, Space::global).size(), 100U);
  std::vector<std::uint64_t> counts;
  for (const PathNode& node : b.paths.at(0).nodes)
    if (node.kind == PathNode::Kind::repeat)
      counts.push_back(node.count);
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{100, 50}));
}

TEST(Loops, LanesLeaveADivergentLoopOneByOne) {
  // Lane i runs i + 1 iterations: iteration k (from 0) has lanes k..31.
  const Kernel kernel = Kernel::of_file("counted_loop.ptx", "triangular_loop");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1)}));
  const auto loads = load_shapes(b, kernel.list(), 0, Space::global);
  ASSERT_EQ(loads.size(), 32U);
  for (std::uint32_t k = 0; k < 32; ++k)
    EXPECT_EQ(loads[k].mask, ~0U << k);
  EXPECT_EQ(store_shapes(b, kernel.list(), 0, Space::global).at(0).mask, ~0U);
}

TEST(Loops, TenMillionIterationsAreCountedExactly) {
  const Kernel kernel = Kernel::of_file("counted_loop.ptx", "rolled_loop");
  slice::SliceOptions options;
  options.max_visits_per_warp = 2000; // only a few hundred may be stepped through
  const auto b = kernel.execute(
      launch({1, 1, 1}, {32, 1, 1}, {wide_buffer(0), buffer(1), integer(10'000'000), integer(32)}), options);
  std::uint64_t loads = 0;
  std::uint64_t factor = 1;
  for (const PathNode& node : b.paths.at(0).nodes) {
    if (node.kind == PathNode::Kind::repeat) {
      EXPECT_EQ(node.length, 1U);
      factor = node.count;
      continue;
    }
    for (const tasklist::Task& t : kernel.list().tasks_of(kernel.list().blocks[b.visits[node.visit].block]))
      loads += t.kind == tasklist::TaskKind::load && t.space == Space::global ? factor : 0;
    factor = 1;
  }
  EXPECT_EQ(loads, 10'000'000U);
}

TEST(Loops, TheCounterMayWrapPastTheSignedRange) {
  // Counts down from 2^31 + 5 as unsigned by 1: more trips than a signed counter holds.
  const Kernel kernel = Kernel::of_text(R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u32 n)
{
  .reg .pred %p;
  .shared .b8 tile[512];
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [n];
LOOP:
  add.u32 %r1, %r1, -1;
  ld.shared.u32 %r2, [tile+256];
  setp.ne.u32 %p, %r1, 0;
  @%p bra LOOP;
  st.shared.u32 [tile], %r2;
  ret;
}
)");
  const auto b =
      kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {integer(static_cast<std::int32_t>(0x80000005U))}));
  std::uint64_t trips = 0;
  for (std::size_t i = 0; i < b.paths.at(0).nodes.size(); ++i)
    if (b.paths[0].nodes[i].kind == PathNode::Kind::repeat)
      trips = b.paths[0].nodes[i].count;
  EXPECT_EQ(trips, 0x80000005ULL);
}

} // namespace
} // namespace kerncast::slice_test
