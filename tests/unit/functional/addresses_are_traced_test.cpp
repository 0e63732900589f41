// The addresses of all CTAs, as executed, for the caches.
#include "texture_kernel.h"

namespace kerncast::functional_test {
namespace {

// Thread t of every CTA loads a[a[t]]: two loads and a store a warp.
const std::string gather = "ld.global.u32 %x, [%pa];\nmul.wide.u32 %l, %x, 4;\nadd.s64 %m, %a, %l;\n"
                           "ld.global.u32 %y, [%m];\nst.global.u32 [%pb], %y;";

functional::RunResult traced(std::uint64_t max_accesses) {
  const Code code = Code::of_text(text_kernel(gather));
  Device device;
  // Lane t's second load is of element 63 - t.
  const Argument a = device.buffer(generated<std::uint32_t>(64, [](std::uint32_t k) { return 63 - k; }));
  const Argument b = device.buffer(std::vector<std::uint32_t>(64));
  functional::RunOptions options;
  options.recorded_ctas = 1;
  options.traced_accesses = max_accesses;
  return device.run(code, {3}, {64}, {a, b, integer(0)}, options);
}

// CTAs of one thread; all fit into the trace.
Expected<functional::RunResult> traced_clusters(const Code& code, Dim3 grid, Dim3 cluster) {
  Device device;
  const Argument a = device.buffer(std::vector<std::uint32_t>(1000));
  functional::RunOptions options;
  options.recorded_ctas = 1;
  options.traced_accesses = 100;
  return device.try_run_clusters(code, grid, {1}, cluster, {a, a, integer(0)}, 0, options);
}

TEST(Traces, HoldTheAddressesOfEveryWarp) {
  const functional::RunResult result = traced(100);
  ASSERT_TRUE(result.trace);
  const auto source = functional::source_of(result.trace);
  for (std::uint64_t cta = 0; cta < 3; ++cta) {
    const tasklist::PlacedTrace placed = source->cta(cta);
    ASSERT_EQ(placed.trace->warp_begin, (std::vector<std::uint32_t>{0, 3, 6}));
    const auto& accesses = placed.trace->accesses;
    // Warp 1 loads elements 32 to 63, then 31 down to 0: lane 0 is at element 31, lane 31 at 0.
    EXPECT_EQ(accesses[3].address - accesses[0].address, 32U * 4);
    EXPECT_EQ(placed.address(accesses[4]), accesses[0].address + 31U * 4);
    EXPECT_EQ(source->patterns()[accesses[4].pattern].offsets[31], -31 * 4);
  }
}

// 3 CTAs of 2 warps with 3 accesses each are 18.
TEST(Traces, AreWholeOrNotThere) {
  EXPECT_TRUE(traced(18).trace);
  EXPECT_FALSE(traced(17).trace);
  EXPECT_FALSE(traced(0).trace);
}

// CTAs of clusters of 2x2 take turns; each CTA's trace is its own: a load of element 100 x + y, and a store.
TEST(Traces, OfClustersAreInTheOrderOfTheGrid) {
  const Code code = Code::of_text(text_kernel(
      "mov.u32 %x, %ctaid.x;\nmov.u32 %y, %ctaid.y;\nmad.lo.u32 %x, %x, 100, %y;\nmul.wide.u32 %l, %x, 4;\n"
      "add.s64 %m, %a, %l;\nld.global.u32 %z, [%m];\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
      "st.global.u32 [%m], %z;"));
  const auto result = traced_clusters(code, {4, 4}, {2, 2});
  ASSERT_TRUE(result) << error_of(result);
  ASSERT_TRUE(result->trace);
  const auto source = functional::source_of(result->trace);
  const std::uint64_t base = source->cta(0).trace->accesses.at(0).address;
  for (std::uint64_t cta = 0; cta < 16; ++cta) {
    const tasklist::PlacedTrace placed = source->cta(cta);
    ASSERT_EQ(placed.trace->warp_begin, (std::vector<std::uint32_t>{0, 2}));
    for (const auto& access : placed.trace->accesses)
      EXPECT_EQ(access.address - base, 4 * (cta % 4 * 100 + cta / 4)) << cta;
  }
  EXPECT_EQ(result->behaviour->classes.at(0).cta_count, 16U);
}

// Words of other CTAs' shared memory, by shared and by generic addresses, are in no trace.
TEST(Traces, LeaveOutWhatClustersShare) {
  const Code code = Code::of_text(text_kernel(
      ".shared .align 8 .b8 s[256];\nmov.u32 %x, s;\nmapa.shared::cluster.u32 %y, %x, 1;\n"
      "st.shared::cluster.u32 [%y], %t;\ncvt.u64.u32 %l, %y;\ncvta.shared::cluster.u64 %l, %l;\n"
      "st.u32 [%l+4], %t;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nst.global.u32 [%pa], %t;"));
  const auto result = traced_clusters(code, {2}, {2});
  ASSERT_TRUE(result) << error_of(result);
  ASSERT_TRUE(result->trace);
  EXPECT_EQ(result->trace->accesses.size(), 2U);
}

// Lane t fetches texel (63 - t, 1) of rows that lie 1024 bytes apart, and the behaviour knows the lanes'
// texels.
TEST(Traces, KnowTheTexelsOfFetches) {
  const Code code = Code::of_text(
      texture_kernel("sub.u32 %x, 63, %t;\nmov.u32 %y, 1;\ntex.2d.v4.u32.s32 {%z, _, _, _}, [%a, {%x, %y}];\n"
                     "st.global.u32 [%pb], %z;"));
  ImageDevice device;
  const Argument texels = device.buffer(std::vector<std::uint32_t>(512));
  Image image = image_of(texels, TexelFormat::u32, 1, 64, 2);
  image.pitch_bytes = 1024;
  device.add(image);
  const Argument b = device.buffer(std::vector<std::uint32_t>(64));
  functional::RunOptions options;
  options.recorded_ctas = 1;
  options.traced_accesses = 100;
  const functional::RunResult result = device.run(code, {1}, {64}, {handle(0), b, integer(0)}, options);
  ASSERT_TRUE(result.trace);
  const auto source = functional::source_of(result.trace);
  const tasklist::PlacedTrace placed = source->cta(0);
  ASSERT_EQ(placed.trace->warp_begin, (std::vector<std::uint32_t>{0, 2, 4}));
  const auto& fetch = placed.trace->accesses[0];
  EXPECT_EQ(placed.address(fetch) % 1024, 63U * 4); // buffers begin at multiples of 2 MiB
  EXPECT_EQ(source->patterns()[fetch.pattern].offsets[31], -31 * 4);
  EXPECT_TRUE(result.behaviour->shapes[0].known);
  ASSERT_EQ(result.behaviour->assumptions.size(), 1U);
  EXPECT_EQ(result.behaviour->assumptions[0].find("textures: rows lie in memory as described"), 0U);
}

} // namespace
} // namespace kerncast::functional_test
