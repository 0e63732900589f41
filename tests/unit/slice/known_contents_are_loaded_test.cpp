// Loads from buffers whose contents are given have these values; all others stay unknown.
#include <cstring>

#include "slice/grid_accesses.h"
#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

using slice::KnownContents;

template <class T> KnownContents::Bytes bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
}

// Of buffer 1, the table of most kernels here.
slice::SliceOptions with_table(KnownContents::Bytes table) {
  auto contents = std::make_shared<KnownContents>();
  contents->buffers = {nullptr, std::move(table)};
  slice::SliceOptions options;
  options.contents = std::move(contents);
  return options;
}

std::vector<AddressShape> gathers(const Kernel& kernel, const LaunchBehaviour& b) {
  return load_shapes(b, kernel.list(), b.classes.at(0).warp_paths.at(0), tasklist::Space::global);
}

TEST(KnownContents, AreTheAddressesOfAGather) {
  const Kernel kernel = Kernel::of_file("tables.ptx", "gather");
  EXPECT_EQ(kernel.data_dependence(), slice::DataDependence::loads);
  std::vector<std::int32_t> table;
  for (std::int32_t i = 0; i < 32; ++i)
    table.push_back(31 - i + 64 * (i % 2));
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), buffer(2)}),
                                with_table(bytes_of(table)));
  const auto loads = gathers(kernel, b);
  ASSERT_EQ(loads.size(), 2U);
  ASSERT_TRUE(loads[1].known);
  // Relative to the line of lane 0, which loads element 31.
  for (std::uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(loads[1].offsets[i], 4 * static_cast<std::uint64_t>(table[i]));
  EXPECT_TRUE(b.assumptions.empty());
}

TEST(KnownContents, EndWithTheBuffer) {
  const Kernel kernel = Kernel::of_file("tables.ptx", "gather");
  const std::vector<std::int32_t> half(16, 3);
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), buffer(2)}),
                                with_table(bytes_of(half)));
  EXPECT_FALSE(gathers(kernel, b).at(1).place_known);
  EXPECT_FALSE(b.assumptions.empty());
}

TEST(KnownContents, OfOtherBuffersAreOfNoUse) {
  const Kernel kernel = Kernel::of_file("tables.ptx", "gather");
  const std::vector<std::int32_t> table(32, 3);
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(2), buffer(1)}),
                                with_table(bytes_of(table)));
  EXPECT_FALSE(gathers(kernel, b).at(1).known);
}

// Of what a narrow table holds, as a 64-bit index.
std::string load_of(const std::string& type, const std::string& widen) {
  return R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 table)
{
  .reg .b16 %h<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [table];
  )" + type +
         R"(;
  )" + widen +
         R"(;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u8 %r3, [%rd4+1024];
  st.global.u8 [%rd1], %r3;
  ret;
}
)";
}

std::uint64_t place_of(const std::string& type, const std::string& widen, std::vector<std::uint8_t> bytes) {
  const Kernel kernel = Kernel::of_text(load_of(type, widen));
  const auto b =
      kernel.execute(launch({1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1)}), with_table(bytes_of(bytes)));
  const auto loads = gathers(kernel, b);
  EXPECT_TRUE(loads.at(1).known);
  return loads.at(1).offsets[0]; // within its line
}

TEST(KnownContents, AreExtendedAsTheirTypeSays) {
  const std::vector<std::uint8_t> minus_two = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  // Shifted so that signs show: an index of -1 is byte 127 of a line.
  EXPECT_EQ(place_of("ld.global.s8 %r1, [%rd2]", "shr.s32 %r1, %r1, 2; cvt.s64.s32 %rd3, %r1", minus_two),
            127U);
  EXPECT_EQ(place_of("ld.global.u8 %r1, [%rd2]", "shr.s32 %r1, %r1, 2; cvt.s64.s32 %rd3, %r1", minus_two),
            63U);
  EXPECT_EQ(place_of("ld.global.s32 %rd5, [%rd2]", "shr.s64 %rd3, %rd5, 60", minus_two), 127U);
  EXPECT_EQ(place_of("ld.global.u32 %rd5, [%rd2]", "shr.s64 %rd3, %rd5, 60", minus_two), 0U);
  EXPECT_EQ(place_of("ld.global.u64 %rd5, [%rd2]", "shr.u64 %rd3, %rd5, 60", minus_two), 15U);
  EXPECT_EQ(place_of("ld.global.s16 %h1, [%rd2]", "cvt.u64.u16 %rd5, %h1; shr.u64 %rd3, %rd5, 12", minus_two),
            15U);
  EXPECT_EQ(place_of("ld.global.s16 %h1, [%rd2]", "cvt.s64.s16 %rd5, %h1; shr.s64 %rd3, %rd5, 12", minus_two),
            127U);
}

TEST(KnownContents, AreElementsOfVectors) {
  const std::vector<std::uint8_t> four = {1, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0};
  EXPECT_EQ(place_of("ld.global.v2.u32 {%r1, %r2}, [%rd2+8]", "cvt.u64.u32 %rd3, %r2", four), 9U);
}

// Rows of 0, 1, 2, ... elements: each lane leaves the loop at its own time.
TEST(KnownContents, DecideHowOftenLoopsRun) {
  const Kernel kernel = Kernel::of_file("tables.ptx", "spmv");
  EXPECT_EQ(kernel.data_dependence(), slice::DataDependence::loads);
  std::vector<std::int32_t> begins = {0};
  for (std::int32_t row = 0; row < 32; ++row)
    begins.push_back(begins.back() + row);
  auto contents = std::make_shared<KnownContents>();
  contents->buffers = {bytes_of(begins), bytes_of(std::vector<std::int32_t>(500, 7))};
  slice::SliceOptions options;
  options.contents = contents;
  const auto b = kernel.execute(
      launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), integer(32)}),
      options);
  EXPECT_TRUE(b.assumptions.empty());
  // 496 elements in all, each loaded from x by one lane.
  std::uint64_t lanes = 0;
  for (const AddressShape& shape : gathers(kernel, b))
    if (shape.mask != 0 && shape.bytes == 4 && shape.known)
      lanes += static_cast<std::uint64_t>(std::popcount(shape.mask));
  EXPECT_EQ(lanes, 2 * 32 + 3 * 496U); // two bounds a row; a column, a value and an element of x
}

// A loop that asks the same element again and again goes on in closed form, so that it is not refused.
TEST(KnownContents, ThatStayTheSameLeaveLoopsSteady) {
  const Kernel kernel = Kernel::of_text(R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 table, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [table];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
LOOP:
  ld.global.u32 %rd3, [%rd2];
  add.u64 %rd4, %rd1, %rd3;
  ld.global.u32 %r3, [%rd4];
  st.global.u32 [%rd1], %r3;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra LOOP;
  ret;
}
)");
  slice::SliceOptions options = with_table(bytes_of(std::vector<std::uint32_t>{64}));
  options.max_visits_per_warp = 100'000;
  const auto b =
      kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), integer(1'000'000'000)}), options);
  ASSERT_EQ(b.classes.size(), 1U);
  std::uint64_t most = 0;
  for (const PathNode& node : b.paths.at(0).nodes)
    most = std::max(most, node.count);
  EXPECT_GT(most, 999'000'000U);
}

// No CTA is taken for another's likeness but those that are said to be.
TEST(KnownContents, OfLargeGridsAreExecutedInSamples) {
  const Kernel kernel = Kernel::of_file("tables.ptx", "gather");
  std::vector<std::int32_t> table(32 * 1000);
  for (std::size_t i = 0; i < table.size(); ++i) // CTAs of equal and of strided addresses in turn
    table[i] = static_cast<std::int32_t>(i / 32 % 2 == 0 ? i : i * 8);
  auto options = with_table(bytes_of(table));
  const auto b = kernel.execute(launch({1000, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), buffer(2)}), options);
  std::uint64_t ctas = 0, strided = 0;
  for (const tasklist::CtaClass& c : b.classes) {
    ctas += c.cta_count;
    const auto loads = load_shapes(b, kernel.list(), c.warp_paths.at(0), tasklist::Space::global);
    strided += loads.at(1).offsets[1] - loads.at(1).offsets[0] == 32 ? c.cta_count : 0;
  }
  EXPECT_EQ(ctas, 1000U);
  EXPECT_EQ(b.ctas_executed, 256U);
  EXPECT_NEAR(static_cast<double>(strided), 500, 40);
  ASSERT_EQ(b.assumptions.size(), 1U);
  EXPECT_EQ(b.assumptions[0],
            "CTAs executed with the contents of buffers: 256 of 1000, evenly spread, stand for all");
  options.max_visits_on_contents = 10; // one block a CTA
  const auto fewer =
      kernel.execute(launch({1000, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), buffer(2)}), options);
  EXPECT_LE(fewer.ctas_executed, 12U);
  EXPECT_GE(fewer.ctas_executed, 5U);
}

TEST(KnownContents, GiveEachCtaItsOwnTrace) {
  const Kernel kernel = Kernel::of_file("tables.ptx", "gather");
  std::vector<std::int32_t> table(32 * 100);
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = static_cast<std::int32_t>(i * i % 4096);
  slice::TraceOptions options;
  options.contents = with_table(bytes_of(table)).contents;
  const auto source = slice::trace_grid(
      kernel.program(), launch({100, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), buffer(2)}), options);
  ASSERT_TRUE(source);
  const std::uint64_t begin = (*source)->cta(0).trace->accesses.at(1).address; // element 0
  for (const std::uint64_t cta : {1U, 37U, 38U, 99U})
    EXPECT_EQ((*source)->cta(cta).trace->accesses.at(1).address - begin,
              4 * static_cast<std::uint64_t>(table[32 * cta]));
}

} // namespace
} // namespace kerncast::slice_test
