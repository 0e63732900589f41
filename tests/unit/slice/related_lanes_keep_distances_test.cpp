// Lanes whose addresses depend on the same unknown data lie at known distances, wherever that is.
#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

#include "slice/grid_accesses.h"
#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

using tasklist::Space;

// %m is the address of the last access; %a and %b are buffers, %t the thread, %c the CTA.
Kernel kernel_of(const std::string& body) {
  return Kernel::of_text(".version 7.8\n.target sm_75\n.address_size 64\n"
                         ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n.reg .pred %p;\n"
                         ".reg .b32 %t, %c, %x, %y;\n.reg .f32 %f;\n.reg .b64 %a, %b, %l, %m;\n"
                         "ld.param.u64 %a, [a];\nld.param.u64 %b, [b];\nmov.u32 %t, %tid.x;\n"
                         "mov.u32 %c, %ctaid.x;\n" +
                         body + "ld.global.f32 %f, [%m];\nst.global.f32 [%b], %f;\nret;\n}\n");
}

AddressShape last_load(const std::string& body) {
  const Kernel kernel = kernel_of(body);
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1)}));
  return load_shapes(b, kernel.list(), 0, Space::global).back();
}

// The distance from one active lane to the next, if it is the same for all.
std::optional<std::int64_t> stride_of(const AddressShape& shape) {
  const auto step = static_cast<std::int64_t>(shape.offsets[1] - shape.offsets[0]);
  for (std::uint32_t i = 1; i < 32; ++i)
    if (static_cast<std::int64_t>(shape.offsets[i] - shape.offsets[i - 1]) != step)
      return std::nullopt;
  return step;
}

const std::string index_of_cta = "mul.wide.u32 %l, %c, 4;\nadd.u64 %l, %a, %l;\nld.global.u32 %x, [%l];\n";

TEST(RelatedLanes, AddTheirNumberToOneUnknownIndex) {
  const AddressShape shape =
      last_load(index_of_cta + "add.u32 %x, %x, %t;\nmul.wide.s32 %l, %x, 4;\nadd.u64 %m, %a, %l;\n");
  EXPECT_FALSE(shape.place_known);
  EXPECT_TRUE(shape.known);
  EXPECT_EQ(stride_of(shape), 4);
  // 31 of 32 places make it five sectors, not four.
  EXPECT_NE(shape.offsets[0] % 32, 0U);
}

// 3 (x - 2 t), the scale that one unknown number gives, bytes of a row: all are sums of multiples.
TEST(RelatedLanes, StayRelatedThroughLinearArithmetic) {
  EXPECT_EQ(
      stride_of(last_load(index_of_cta + "mul.lo.u32 %y, %t, 2;\nsub.u32 %x, %x, %y;\nmul.lo.u32 %x, %x, 3;\n"
                                         "shl.b32 %x, %x, 2;\ncvt.s64.s32 %l, %x;\nadd.s64 %m, %a, %l;\n")),
      -24);
  EXPECT_EQ(stride_of(last_load(index_of_cta + "mad.lo.u32 %x, %x, 100, %t;\nmul.wide.u32 %l, %x, 4;\n"
                                               "add.u64 %m, %a, %l;\n")),
            4);
}

// Rows of 128 bytes begin at lines, of structures of 64 bytes the second quarter is 16 bytes behind a half
// line.
TEST(RelatedLanes, LieAtMultiplesOfWhatTheirIndexIsMultipliedBy) {
  const std::string row = index_of_cta + "mul.wide.u32 %l, %x, 128;\nadd.u64 %m, %a, %l;\n";
  EXPECT_EQ(last_load(row + "mul.wide.u32 %l, %t, 4;\nadd.u64 %m, %m, %l;\n").offsets[0] % 128, 0U);
  const AddressShape quarter = last_load(index_of_cta + "shl.b32 %x, %x, 4;\nmul.wide.u32 %l, %x, 4;\n"
                                                        "add.u64 %m, %a, %l;\nadd.u64 %m, %m, 16;\n");
  EXPECT_EQ(quarter.offsets[0] % 64, 16U);
  // A sum with another unknown number is a multiple of less.
  const AddressShape sum =
      last_load(index_of_cta + "ld.global.u32 %y, [%b];\nmul.wide.u32 %m, %y, 4;\n"
                               "mul.wide.u32 %l, %x, 128;\nadd.u64 %m, %m, %l;\n"
                               "add.u64 %m, %a, %m;\nmul.wide.u32 %l, %t, 4;\nadd.u64 %m, %m, %l;\n");
  EXPECT_NE(sum.offsets[0] % 32, 0U);
}

// What is no sum of it is one unknown number again, if all lanes have the same operands.
TEST(RelatedLanes, StayRelatedThroughAnyFunctionOfTheSame) {
  const std::string scaled = "cvt.rn.f32.u32 %f, %x;\nmul.f32 %f, %f, 0f3fc00000;\ncvt.rzi.s32.f32 %x, %f;\n";
  EXPECT_EQ(stride_of(last_load(index_of_cta + scaled +
                                "add.s32 %x, %x, %t;\nmul.wide.s32 %l, %x, 4;\n"
                                "add.s64 %m, %a, %l;\n")),
            4);
  const AddressShape own = last_load(
      index_of_cta +
      "mul.lo.u32 %x, %x, %t;\nxor.b32 %x, %x, %t;\nmul.wide.u32 %l, %x, 4;\nadd.u64 %m, %a, %l;\n");
  EXPECT_FALSE(own.known);
  EXPECT_FALSE(own.place_known);
}

// Each half of a warp loads one index; a gather's lanes have each their own.
TEST(RelatedLanes, AreGroupsOfThoseThatLoadTheSame) {
  const auto shape_of = [](const std::string& number) {
    return last_load(number + "mul.wide.u32 %l, %y, 4;\nadd.u64 %l, %a, %l;\nld.global.u32 %x, [%l];\n"
                              "add.u32 %x, %x, %t;\nmul.wide.u32 %l, %x, 4;\nadd.u64 %m, %a, %l;\n");
  };
  const AddressShape halves = shape_of("shr.u32 %y, %t, 4;\n");
  for (const std::uint32_t first : {0U, 16U})
    for (std::uint32_t i = first + 1; i < first + 16; ++i)
      EXPECT_EQ(halves.offsets[i] - halves.offsets[i - 1], 4U) << i;
  EXPECT_GT(halves.offsets[16] - halves.offsets[15], 128U);
  EXPECT_FALSE(shape_of("mov.u32 %y, %t;\n").known);
}

TEST(RelatedLanes, FollowAPointerThatIsLoaded) {
  EXPECT_EQ(stride_of(last_load("mul.wide.u32 %l, %c, 8;\nadd.u64 %l, %a, %l;\nld.global.u64 %m, [%l];\n"
                                "mul.wide.u32 %l, %t, 8;\nadd.u64 %m, %m, %l;\n")),
            8);
}

// Two loads of shared memory at different times need not give the same.
TEST(RelatedLanes, WhatMemoryThatChangesHeldBeforeIsNothingInCommon) {
  const std::string of_lane_parity =
      "and.b32 %y, %t, 1;\nsetp.eq.u32 %p, %y, 0;\nmov.u32 %y, 0;\n"
      "ld.shared.u32 %x, [%y];\nbar.sync 0;\n@%p bra NEXT;\nld.shared.u32 %x, [%y];\n"
      "NEXT:\nadd.u32 %x, %x, %t;\nmul.wide.u32 %l, %x, 4;\nadd.u64 %m, %a, %l;\n";
  const AddressShape shape = last_load(of_lane_parity);
  EXPECT_EQ(shape.offsets[2] - shape.offsets[0], 8U);
  EXPECT_NE(shape.offsets[1] - shape.offsets[0], 4U);
}

std::vector<std::uint64_t> traced(const std::string& body, std::uint32_t ctas, std::uint64_t buffer_bytes) {
  const Kernel kernel = kernel_of(body);
  Argument a = buffer(0);
  a.buffer_bytes = buffer_bytes;
  auto source = slice::trace_grid(kernel.program(), launch({ctas, 1, 1}, {32, 1, 1}, {a, buffer(1)}));
  EXPECT_TRUE(source) << render(source.error());
  std::vector<std::uint64_t> addresses;
  for (std::uint32_t cta = 0; cta < ctas; ++cta) {
    const auto placed = (*source)->cta(cta);
    const std::uint64_t base = placed.address(placed.trace->accesses.at(0)) - (cta % 2) * 4;
    addresses.push_back(placed.address(placed.trace->accesses.at(1)) - base);
  }
  return addresses;
}

// a[index[cta % 2] + 1000 cta + t], of 100,000 elements and 90 CTAs: an index leaves all of them in the
// buffer if it is below 100,000 - 89,032 + 1. CTAs with one index are 2000 elements apart.
TEST(RelatedLanes, LieWithinTheirBufferWhereverItsIndexPutsThem) {
  const auto addresses =
      traced("and.b32 %y, %c, 1;\nmul.wide.u32 %l, %y, 4;\nadd.u64 %l, %a, %l;\nld.global.u32 %x, [%l];\n"
             "mad.lo.u32 %x, %c, 1000, %x;\nadd.u32 %x, %x, %t;\nmul.wide.u32 %l, %x, 4;\n"
             "add.u64 %m, %a, %l;\n",
             90, 400'000);
  for (std::size_t cta = 0; cta < addresses.size(); ++cta) {
    EXPECT_LE(addresses[cta] + 128, 400'000U) << cta;
    if (cta >= 2) {
      EXPECT_EQ(addresses[cta] - addresses[cta - 2], 8000U) << cta;
    }
  }
  EXPECT_NE(addresses[1] - addresses[0], 4000U);
}

TEST(RelatedLanes, LieInTheirBufferByMultiplesOfTheirScale) {
  const auto addresses =
      traced("and.b32 %y, %c, 1;\nmul.wide.u32 %l, %y, 4;\nadd.u64 %l, %a, %l;\nld.global.u32 %x, [%l];\n"
             "mul.wide.u32 %l, %x, 512;\nadd.u64 %m, %a, %l;\nadd.u64 %m, %m, 64;\nmul.wide.u32 %l, %t, 4;\n"
             "add.u64 %m, %m, %l;\n",
             4, 400'000);
  std::set<std::uint64_t> places;
  for (const std::uint64_t address : addresses) {
    EXPECT_EQ(address % 512, 64U);
    EXPECT_LE(address + 128, 400'000U);
    places.insert(address);
  }
  EXPECT_EQ(places.size(), 2U) << "of the two indices";
}

// Each lane has an index of its own: structures of 64 bytes begin at two places of a line only.
TEST(RelatedLanes, ScatteredOnesLieByMultiplesOfTheirCommonScale) {
  const Kernel kernel = kernel_of("mul.wide.u32 %l, %t, 4;\nadd.u64 %l, %a, %l;\nld.global.u32 %x, [%l];\n"
                                  "mul.wide.u32 %l, %x, 64;\nadd.u64 %m, %a, %l;\n");
  Argument a = buffer(0);
  a.buffer_bytes = 65536;
  const auto source = slice::trace_grid(kernel.program(), launch({1, 1, 1}, {32, 1, 1}, {a, buffer(1)}));
  ASSERT_TRUE(source) << render(source.error());
  (void)(*source)->cta(0);
  const auto& patterns = (*source)->patterns();
  const auto scattered =
      std::ranges::find_if(patterns, [](const tasklist::AccessPattern& p) { return !p.known; });
  ASSERT_NE(scattered, patterns.end());
  EXPECT_EQ(scattered->grain, 64U);
  EXPECT_EQ(scattered->places(), 1024U);
}

// The last quarter of structures of 128 bytes; with a known part of its own for each lane they agree to 4
// bytes.
TEST(RelatedLanes, ScatteredOnesKeepTheirPlaceBetweenMultiples) {
  const std::string index = "mul.wide.u32 %l, %t, 4;\nadd.u64 %l, %a, %l;\nld.global.u32 %x, [%l];\n"
                            "mul.wide.u32 %l, %x, 128;\nadd.u64 %m, %a, %l;\nadd.u64 %m, %m, 96;\n";
  const auto scattered = [&](const std::string& body) {
    const Kernel kernel = kernel_of(body);
    Argument a = buffer(0);
    a.buffer_bytes = 65536;
    auto source = slice::trace_grid(kernel.program(), launch({1, 1, 1}, {32, 1, 1}, {a, buffer(1)}));
    EXPECT_TRUE(source) << render(source.error());
    const auto placed = (*source)->cta(0);
    const std::uint64_t base = placed.address(placed.trace->accesses.at(0));
    const tasklist::TracedAccess& access = placed.trace->accesses.at(1);
    return std::pair(placed.address(access) - base, (*source)->patterns().at(access.pattern));
  };
  const auto [begin, quarter] = scattered(index);
  EXPECT_EQ(begin, 96U);
  EXPECT_EQ(quarter.grain, 128U);
  EXPECT_EQ(quarter.places(), 512U);
  EXPECT_EQ(scattered(index + "mul.wide.u32 %l, %t, 4;\nadd.u64 %m, %m, %l;\n").second.grain, 4U);
}

// 128 bytes that end 4 bytes behind a multiple of 4096 do not fit a buffer of 4096 bytes so.
TEST(RelatedLanes, LieInTheirBufferWhereMultiplesLeaveNoRoom) {
  const auto addresses =
      traced("and.b32 %y, %c, 1;\nmul.wide.u32 %l, %y, 4;\nadd.u64 %l, %a, %l;\nld.global.u32 %x, [%l];\n"
             "mul.wide.u32 %l, %x, 4096;\nadd.u64 %m, %a, %l;\nsub.u64 %m, %m, 4;\nmul.wide.u32 %l, %t, 4;\n"
             "add.u64 %m, %m, %l;\n",
             2, 4096);
  for (const std::uint64_t address : addresses)
    EXPECT_LE(address + 128, 4096U);
}

TEST(RelatedLanes, AreNamed) {
  const Kernel kernel =
      kernel_of(index_of_cta + "add.u32 %x, %x, %t;\nmul.wide.s32 %l, %x, 4;\nadd.u64 %m, %a, %l;\n");
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1)}));
  ASSERT_EQ(b.assumptions.size(), 1U);
  EXPECT_NE(b.assumptions[0].find("the address depends on unknown data; lanes with the same data"),
            std::string::npos);
}

} // namespace
} // namespace kerncast::slice_test
