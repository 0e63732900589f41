// Where the lanes of an access touch memory, relative to the 128-byte line of the lowest active lane.
#include <numeric>
#include <set>

#include "pattern_classes.h"
#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

using tasklist::Space;

TEST(Shapes, UnitStrideIsCoalesced) {
  const Kernel kernel = Kernel::of_file("shapes.ptx", "coalesced");
  const auto b = kernel.execute(launch({16, 1, 1}, {128, 1, 1}, {buffer(0), buffer(1)}));
  EXPECT_EQ(b.paths.size(), 1U); // every warp of every CTA is alike
  const auto load = load_shapes(b, kernel.list(), 0, Space::global).at(0);
  EXPECT_TRUE(load.known);
  EXPECT_EQ(load.bytes, 4U);
  for (std::uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(load.offsets[i], 4 * i);
}

TEST(Shapes, AnOffsetBufferShiftsTheAlignment) {
  const Kernel kernel = Kernel::of_file("shapes.ptx", "coalesced");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0, 20), buffer(1)}));
  EXPECT_EQ(load_shapes(b, kernel.list(), 0, Space::global).at(0).offsets[0], 20U);
  EXPECT_EQ(store_shapes(b, kernel.list(), 0, Space::global).at(0).offsets[0], 0U);
}

TEST(Shapes, AStrideSpreadsTheLanes) {
  const Kernel kernel = Kernel::of_file("shapes.ptx", "strided");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), integer(33)}));
  const auto load = load_shapes(b, kernel.list(), 0, Space::global).at(0);
  for (std::uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(load.offsets[i], 132 * i);
}

TEST(Shapes, NegativeStridesWrapInTwosComplement) {
  const Kernel kernel = Kernel::of_file("shapes.ptx", "strided");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0, 128), buffer(1), integer(-1)}));
  EXPECT_EQ(load_shapes(b, kernel.list(), 0, Space::global).at(0).offsets[3],
            static_cast<std::uint64_t>(-12));
}

TEST(Shapes, ATileReadsRowsAndWritesColumns) {
  // 16 x 16 threads: a warp covers two rows of 16; width 1024 floats.
  const Kernel kernel = Kernel::of_file("shapes.ptx", "transpose");
  const auto b = kernel.execute(launch({4, 4, 1}, {16, 16, 1}, {buffer(0), buffer(1), integer(1024)}));
  const std::uint32_t path = b.classes.at(0).warp_paths.at(0);
  const auto load = load_shapes(b, kernel.list(), path, Space::global).at(0);
  const auto store = store_shapes(b, kernel.list(), path, Space::global).at(0);
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(load.offsets[i], i / 16 * 4096 + i % 16 * 4);
    EXPECT_EQ(store.offsets[i], i % 16 * 4096 + i / 16 * 4);
  }
  // tile[y][x] behind pad[5] (20 bytes): rows of 17 floats, so columns hit 16 different banks.
  const auto tile = store_shapes(b, kernel.list(), path, Space::shared).at(1);
  EXPECT_EQ(tile.offsets[0], 20U);
  EXPECT_EQ(tile.offsets[17], 20U + 68U + 4U);
}

TEST(Shapes, AGatherIsUnknownAndNamed) {
  const Kernel kernel = Kernel::of_file("shapes.ptx", "gather");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), buffer(2)}));
  const auto loads = load_shapes(b, kernel.list(), 0, Space::global);
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_TRUE(loads[0].known);
  EXPECT_FALSE(loads[1].known);
  EXPECT_EQ(loads[1].mask, ~0U);
  EXPECT_EQ(loads[1].bytes, 4U);
  ASSERT_EQ(b.assumptions.size(), 1U);
  EXPECT_NE(b.assumptions[0].find("taken as scattered"), std::string::npos);
}

TEST(Shapes, LocalMemoryIsInterleavedByLane) {
  // All lanes access the same element, which lies in one line for the warp.
  const Kernel kernel = Kernel::of_file("shapes.ptx", "local_array");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), integer(3)}));
  const auto stores = store_shapes(b, kernel.list(), 0, Space::local);
  ASSERT_EQ(stores.size(), 32U);
  for (std::uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(stores[0].offsets[i], 4 * i);
  // values[(i + 3) % 32]: lane i is 128 bytes behind lane i - 1, beside its own column.
  const auto load = load_shapes(b, kernel.list(), 0, Space::local).at(0);
  EXPECT_EQ(load.offsets[1] - load.offsets[0], 128U + 4U);
}

TEST(Shapes, DynamicSharedMemoryLiesBehindTheStaticVariables) {
  const Kernel kernel = Kernel::of_file("shapes.ptx", "dynamic_shared");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0)}));
  const auto stores = store_shapes(b, kernel.list(), 0, Space::shared);
  ASSERT_EQ(stores.size(), 2U);
  EXPECT_EQ(stores[0].offsets[2], 8U); // fixed[2]
  // buffer begins at 12 or, with 16-byte alignment, at 16; lanes are 8 bytes apart.
  EXPECT_GE(stores[1].offsets[0], 12U);
  EXPECT_EQ(stores[1].offsets[1] - stores[1].offsets[0], 8U);
}

// Each iteration a new pattern: lanes load elements (x >> 16) % 64 of 64, x by a linear congruence.
const char* const congruence = R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [in];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, 0;
LOOP:
  mad.lo.u32 %r2, %r2, 1664525, 1013904223;
  shr.u32 %r4, %r2, 16;
  and.b32 %r4, %r4, 63;
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd2, %rd1, %rd2;
  ld.global.u32 %r5, [%rd2];
  st.global.u32 [%rd1], %r5;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, %r1;
  @%p1 bra LOOP;
  ret;
}
)";

std::vector<std::uint64_t> sectors_of_congruence(std::size_t iterations) {
  std::vector<std::uint32_t> x(32);
  std::iota(x.begin(), x.end(), 0U);
  std::vector<std::uint64_t> counts;
  for (std::size_t k = 0; k < iterations; ++k) {
    std::set<std::uint32_t> sectors;
    for (std::uint32_t& lane : x) {
      lane = lane * 1664525U + 1013904223U;
      sectors.insert((lane >> 16U) % 64 * 4 / 32);
    }
    counts.push_back(sectors.size());
  }
  return counts;
}

TEST(Shapes, OfAnAccessWithEverNewPatternsKeepTheirSectors) {
  const Kernel kernel = Kernel::of_text(congruence);
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), integer(20000)}));
  const auto loads = load_shapes(b, kernel.list(), 0, Space::global);
  const auto expected = sectors_of_congruence(20000);
  ASSERT_EQ(loads.size(), expected.size());
  for (std::size_t k = 0; k < loads.size(); ++k)
    ASSERT_EQ(sectors_of(loads[k]), expected[k]) << k;
  EXPECT_LT(b.shapes.size(), 2150U); // 2048 patterns, one for each number of sectors and lines, the store's
  ASSERT_EQ(b.assumptions.size(), 1U);
  EXPECT_EQ(b.assumptions[0], "line 19: more than 2048 different address patterns; the others are taken as "
                              "ones with as many lanes, sectors, lines and conflicts");
}

TEST(Shapes, CostWhatTheyTouch) {
  AddressShape shape;
  shape.mask = 0xffff;
  shape.bytes = 8;
  for (std::uint32_t i = 0; i < 16; ++i)
    shape.offsets[i] = 24 + 64ULL * i; // every second one of 32 bytes, none across an edge
  const auto global = slice::cost_of(shape, Space::global);
  EXPECT_EQ(global.lanes, 16U);
  EXPECT_EQ(global.sectors, 16U);
  EXPECT_EQ(global.lines, 8U);
  // Words 6 and 7 of each 16: 16 words in two banks and their counterparts, 8 deep.
  EXPECT_EQ(slice::cost_of(shape, Space::shared).narrow_wavefronts, 8U);
  EXPECT_EQ(slice::cost_of(shape, Space::shared).wide_wavefronts, 4U);
  EXPECT_EQ(slice::cost_of(shape, Space::constant).addresses, 16U);
}

TEST(Shapes, VectorLoadsCountTheirWholeWidth) {
  const Kernel kernel = Kernel::of_text(R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 16;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd3+16];
  add.u32 %r2, %r2, %r3;
  add.u32 %r2, %r2, %r4;
  add.u32 %r2, %r2, %r5;
  st.global.u32 [%rd1], %r2;
  ret;
}
)");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0)}));
  const auto load = load_shapes(b, kernel.list(), 0, Space::global).at(0);
  EXPECT_EQ(load.bytes, 16U);
  EXPECT_EQ(load.offsets[0], 16U);
  EXPECT_EQ(load.offsets[31], 16U + 31U * 16U);
  const auto store = store_shapes(b, kernel.list(), 0, Space::global).at(0);
  for (const std::uint64_t offset : store.offsets)
    EXPECT_EQ(offset, 0U); // one address for all lanes
}

} // namespace
} // namespace kerncast::slice_test
