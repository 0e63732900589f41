// How much of global memory bulk copies move, and where.
#include <gmock/gmock.h>

#include "slice/grid_accesses.h"
#include "slice_fixture.h"
#include "tasklist/tensor_map.h"

namespace kerncast::slice_test {
namespace {

using tasklist::BulkExtent;
using tasklist::Space;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// One thread of each CTA executes the body. %l1 is the buffer and %r1 the number; %r2 the CTA, %r3 a place in
// shared memory, %r4 an mbarrier.
Kernel copying(const std::string& body) {
  return Kernel::of_text(R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
.reg .pred %p;
.reg .b32 %r<9>;
.reg .b64 %l<9>;
.shared .align 128 .b8 tile[8192];
.shared .align 8 .b64 bar;
ld.param.u64 %l1, [a];
ld.param.u32 %r1, [n];
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, tile;
mov.u32 %r4, bar;
)" + body + "ret;\n}\n");
}
const std::string to_shared = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], ";

// Of the accesses of a thread that move anything in bulk.
std::vector<AddressShape> bulk_shapes(const LaunchBehaviour& b, const Kernel& kernel,
                                      std::uint32_t path = 0) {
  std::vector<AddressShape> shapes = shapes_where(b, kernel.list(), path, [](const auto&) { return true; });
  std::erase_if(shapes, [](const AddressShape& s) { return !s.bulk; });
  return shapes;
}
BulkExtent extent_of(const Kernel& kernel, const Launch& launch) {
  const auto shapes = bulk_shapes(kernel.execute(launch), kernel);
  EXPECT_EQ(shapes.size(), 1U);
  return shapes.empty() || !shapes[0].bulk ? BulkExtent{} : *shapes[0].bulk;
}
Launch one_thread(std::int32_t n, std::uint64_t offset = 0) {
  return launch({1, 1, 1}, {1, 1, 1}, {buffer(0, offset), integer(n)});
}

TEST(BulkCopies, MoveTheBytesTheyName) {
  const Kernel kernel = copying(to_shared + "[%l1], 4096, [%r4];\n");
  EXPECT_EQ(extent_of(kernel, one_thread(0)), (BulkExtent{4096, 4096}));
  EXPECT_THAT(kernel.execute(one_thread(0)).assumptions, IsEmpty());
  // From the middle of a sector: 128 sectors and two halves.
  EXPECT_EQ(extent_of(kernel, one_thread(0, 16)), (BulkExtent{4096 + 32, 4096}));
}

TEST(BulkCopies, TakeTheirSizeFromTheArguments) {
  const Kernel kernel = copying("shl.b32 %r5, %r1, 4;\n" + to_shared + "[%l1], %r5, [%r4];\n");
  EXPECT_EQ(extent_of(kernel, one_thread(3)), (BulkExtent{64, 48}));
}

// As much to a multimem address.
TEST(BulkCopies, OutOfSharedMemoryBeginWhereTheyWrite) {
  for (const std::string to : {"", "multimem."}) {
    const Kernel kernel =
        copying(to + "cp.async.bulk.global.shared::cta.bulk_group [%l1+32], [%r3], 64;\n" + to +
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%l1], [%r3], 32;\n");
    const auto shapes = bulk_shapes(kernel.execute(one_thread(0)), kernel);
    ASSERT_EQ(shapes.size(), 2U) << to;
    EXPECT_EQ(shapes[0].offsets[0], 32U) << to;
    EXPECT_EQ(shapes[0].bulk, (BulkExtent{64, 64})) << to;
    EXPECT_EQ(shapes[1].bulk, (BulkExtent{32, 32})) << to;
  }
}

// Into L2: a load whose bytes nobody is told of.
TEST(BulkCopies, OfPrefetchesComeFromTheirOnlyAddress) {
  const Kernel kernel = copying("cp.async.bulk.prefetch.L2.global [%l1+64], 256;\n");
  EXPECT_EQ(extent_of(kernel, one_thread(0)).moved_bytes, 256U);
  EXPECT_EQ(load_shapes(kernel.execute(one_thread(0)), kernel.list(), 0, Space::global).size(), 1U);
}

TEST(BulkCopies, BetweenCtasMoveNothingOfGlobalMemory) {
  const Kernel kernel = copying("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                                "[%r3], [%r3], 512, [%r4];\n");
  EXPECT_EQ(extent_of(kernel, one_thread(0)), (BulkExtent{0, 512}));
}

// Each of three CTAs brings all of them 1,024 bytes, and gets as much from the two others.
TEST(BulkCopies, ToSeveralCtasAreReadOnce) {
  const Kernel kernel = copying(
      ".reg .b16 %h;\nmov.u16 %h, 7;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%r3], [%l1], 1024, [%r4], %h;\n");
  EXPECT_EQ(extent_of(kernel, one_thread(0)), (BulkExtent{1024, 3072}));
  EXPECT_THAT(kernel.execute(one_thread(0)).assumptions,
              ElementsAre(HasSubstr("taken to bring this one as much")));
}

TEST(BulkCopies, OfUnknownSizeAreNamed) {
  const std::string load = "ld.global.u32 %r5, [%l1];\n";
  const Kernel kernel = copying(load + to_shared + "[%l1], %r5, [%r4];\n");
  EXPECT_EQ(extent_of(kernel, one_thread(0)), BulkExtent{});
  EXPECT_THAT(kernel.execute(one_thread(0)).assumptions,
              ElementsAre(HasSubstr("how much the bulk copy moves is not known; its bytes are not counted")));
}

// Two copies share 512 bytes.
TEST(BulkCopies, OfUnknownSizeMoveWhatIsAnnounced) {
  const Kernel kernel = copying("ld.global.u32 %r5, [%l1];\n"
                                "mbarrier.arrive.expect_tx.shared::cta.b64 %l2, [%r4], 512;\n" +
                                to_shared + "[%l1], %r5, [%r4];\n" + to_shared + "[%l1], %r5, [%r4];\n");
  const auto b = kernel.execute(one_thread(0));
  const auto shapes = bulk_shapes(b, kernel);
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].bulk, (BulkExtent{256, 256}));
  EXPECT_THAT(b.assumptions, testing::Each(HasSubstr("taken as its share, 256 bytes, of those that an "
                                                     "mbarrier expects in line 17")));
}

TEST(BulkCopies, AtUnknownPlacesKeepTheirSize) {
  const Kernel kernel = copying("ld.global.u64 %l2, [%l1];\n" + to_shared + "[%l2], 1000, [%r4];\n");
  const auto b = kernel.execute(one_thread(0));
  EXPECT_EQ(bulk_shapes(b, kernel).at(0).bulk, (BulkExtent{1024, 1000}));
  EXPECT_FALSE(bulk_shapes(b, kernel).at(0).known);
  EXPECT_THAT(b.assumptions,
              ElementsAre(HasSubstr("where the bulk copy reads or writes memory is not known")));
}

// Each CTA 1,000 bytes further: alignments differ, and so do the sectors.
TEST(BulkCopies, AreMovedFromCtaToCta) {
  const Kernel kernel =
      copying("mul.wide.u32 %l2, %r2, 1008;\nadd.s64 %l1, %l1, %l2;\n" + to_shared + "[%l1], 1008, [%r4];\n");
  const Launch l = launch({100, 1, 1}, {1, 1, 1}, {buffer(0), integer(0)});
  auto moved = slice::trace_grid(kernel.program(), l);
  auto executed = slice::trace_grid(kernel.program(), l, {.max_explored_ctas = 0});
  ASSERT_TRUE(moved && executed);
  for (std::uint64_t cta = 0; cta < 100; ++cta) {
    const auto a = (*moved)->cta(cta), b = (*executed)->cta(cta);
    ASSERT_EQ(a.trace->accesses.size(), b.trace->accesses.size());
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < a.trace->accesses.size(); ++i) {
      ASSERT_EQ(a.address(a.trace->accesses[i]), b.address(b.trace->accesses[i]));
      const auto& pattern = (*moved)->patterns()[a.trace->accesses[i].pattern];
      bytes += static_cast<std::uint64_t>(std::popcount(pattern.mask)) * pattern.bytes;
    }
    const std::uint64_t first = cta * 1008 / 32, last = (cta * 1008 + 1007) / 32;
    ASSERT_EQ(bytes, (last - first + 1) * 32) << cta;
  }
}

// An argument that is a dense tensor map of floats in buffer `number`.
void add_map(std::uint32_t number, std::uint64_t width, std::uint64_t height, Launch& into) {
  tasklist::TensorMap map;
  map.rank_less_one = 1;
  map.type = static_cast<std::uint8_t>(tasklist::TensorType::f32);
  map.dims = {width, height};
  map.box = {32, 32};
  map.element_strides = {1, 1};
  make_dense(map);
  const auto words = tasklist::words_of(map);
  const auto argument = static_cast<std::uint32_t>(into.arguments.size());
  into.arguments.push_back({Argument::Kind::structure, 0, 0, 0});
  for (std::uint32_t w = 0; w < words.size(); ++w)
    into.members.push_back({argument, 8 * w, 8,
                            w == tasklist::tensor_map_address_word
                                ? buffer(number)
                                : Argument{Argument::Kind::u64, words[w], 0, 0}});
}
const Kernel& tiles() {
  static const Kernel kernel = Kernel::of_file("tensor_tiles.ptx", "scale_tiles");
  return kernel;
}
Launch of_tiles(std::uint64_t width, std::uint64_t height, std::uint32_t x, std::uint32_t y) {
  Launch l = launch({x, y, 1}, {128, 1, 1}, {});
  add_map(0, width, height, l);
  add_map(1, width, height, l);
  l.arguments.push_back(real(2));
  return l;
}

TEST(TensorCopies, MoveTheRowsOfTheirBox) {
  const auto b = tiles().execute(of_tiles(128, 128, 4, 4));
  const auto shapes = bulk_shapes(b, tiles(), b.classes.at(0).warp_paths.at(0));
  ASSERT_EQ(shapes.size(), 2U); // a load and a store
  EXPECT_EQ(shapes[0].bulk, (BulkExtent{4096, 4096}));
  EXPECT_EQ(shapes[1].bulk, (BulkExtent{4096, 4096}));
}

// 100 x 100 floats: rows of 400 bytes. Of the last box 4 rows of 16 bytes lie in the tensor, each in a
// sector.
TEST(TensorCopies, MoveWhatTheTensorHas) {
  const auto b = tiles().execute(of_tiles(100, 100, 4, 4));
  std::uint64_t least = UINT64_MAX;
  for (const tasklist::CtaClass& c : b.classes) {
    const auto shapes = bulk_shapes(b, tiles(), c.warp_paths.at(0));
    ASSERT_EQ(shapes.size(), 2U);
    EXPECT_EQ(shapes[0].bulk->signalled_bytes, 4096U);
    least = std::min(least, shapes[0].bulk->moved_bytes);
  }
  EXPECT_EQ(least, 4U * 32);
}

// 32 rows of 128 bytes are one access of 32 lanes, 512 bytes apart.
TEST(TensorCopies, AreTracedRowByRow) {
  auto source = slice::trace_grid(tiles().program(), of_tiles(128, 128, 4, 4));
  ASSERT_TRUE(source);
  const auto placed = (*source)->cta(5); // box (1, 1)
  ASSERT_EQ(placed.trace->accesses.size(), 2U);
  const auto& load = placed.trace->accesses[0];
  EXPECT_EQ(placed.address(load) % (1U << 21), 32U * 512 + 128);
  EXPECT_EQ((*source)->patterns()[load.pattern].bytes, 128U);
  EXPECT_EQ((*source)->patterns()[load.pattern].offsets[31], 31 * 512);
}

TEST(TensorCopies, OfMapsThatAreNotDescribedMoveWhatIsAnnounced) {
  const auto b = tiles().execute(launch({4, 4, 1}, {128, 1, 1}, {}));
  const auto shapes = bulk_shapes(b, tiles(), b.classes.at(0).warp_paths.at(0));
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].bulk, (BulkExtent{4096, 4096}));
  EXPECT_EQ(shapes[1].bulk, BulkExtent{}); // a store announces nothing
  EXPECT_THAT(b.assumptions, testing::IsSupersetOf(
                                 {HasSubstr("the tensor map of the bulk copy is not described; taken as its "
                                            "share, 4096 bytes"),
                                  HasSubstr("is not described; its bytes are not counted")}));
}

} // namespace
} // namespace kerncast::slice_test
