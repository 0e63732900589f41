// Atomics by the manual's definitions, and the same outcome on any number of the host's threads.
#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

// The old value that one thread gets and the new one in memory.
std::pair<std::uint32_t, std::uint32_t> atom(const std::string& operation, std::uint32_t value) {
  const Code code = Code::of_text(text_kernel("atom.global." + operation + ";\nst.global.u32 [%pb], %x;"));
  Device device;
  const Argument a = device.buffer(std::vector<std::uint32_t>{value}),
                 b = device.buffer(std::vector<std::uint32_t>(1));
  device.run(code, {1}, {1}, {a, b, integer(0)});
  return {device.read<std::uint32_t>(b)[0], device.read<std::uint32_t>(a)[0]};
}

TEST(Atomics, ChangeMemoryAndGiveTheOldValue) {
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(atom("add.u32 %x, [%a], 5", 7), Pair(7, 12));
  EXPECT_EQ(atom("min.s32 %x, [%a], -1", 7), Pair(7, ~0U));
  EXPECT_EQ(atom("max.u32 %x, [%a], 9", 7), Pair(7, 9));
  EXPECT_EQ(atom("inc.u32 %x, [%a], 7", 7), Pair(7, 0)); // at the limit: back to 0
  EXPECT_EQ(atom("inc.u32 %x, [%a], 8", 7), Pair(7, 8));
  EXPECT_EQ(atom("dec.u32 %x, [%a], 5", 7), Pair(7, 5)); // above the limit: the limit
  EXPECT_EQ(atom("dec.u32 %x, [%a], 5", 0), Pair(0, 5));
  EXPECT_EQ(atom("and.b32 %x, [%a], 6", 3), Pair(3, 2));
  EXPECT_EQ(atom("or.b32 %x, [%a], 6", 3), Pair(3, 7));
  EXPECT_EQ(atom("xor.b32 %x, [%a], 6", 3), Pair(3, 5));
  EXPECT_EQ(atom("exch.b32 %x, [%a], 6", 3), Pair(3, 6));
  EXPECT_EQ(atom("cas.b32 %x, [%a], 3, 8", 3), Pair(3, 8));
  EXPECT_EQ(atom("cas.b32 %x, [%a], 4, 8", 3), Pair(3, 3));
  EXPECT_EQ(atom("add.f32 %f, [%a], 0f3F800000", 0x3f800000), Pair(0, 0x40000000)); // 1 + 1 = 2
}

// What `operation` leaves in a, which is 1, 2 before, and in b from its result; %q is 3, 4 and %s is 1, 2.
std::vector<std::uint64_t> wide_atom(const std::string& operation) {
  std::string text = text_kernel(".reg .b128 %q2, %s2, %d2;\nmov.u64 %l, 3;\nmov.u64 %m, 4;\n"
                                 "mov.b128 %q2, {%l, %m};\nmov.u64 %l, 1;\nmov.u64 %m, 2;\n"
                                 "mov.b128 %s2, {%l, %m};\n" +
                                 operation + ";\nst.global.b128 [%b], %d2;");
  text.replace(text.find(".version 8.0\n.target sm_80"), 26, ".version 8.3\n.target sm_90");
  const Code code = Code::of_text(text);
  Device device;
  const Argument a = device.buffer(std::vector<std::uint64_t>{1, 2}),
                 b = device.buffer(std::vector<std::uint64_t>(2));
  device.run(code, {1}, {1}, {a, b, integer(0)});
  auto both = device.read<std::uint64_t>(a);
  const auto result = device.read<std::uint64_t>(b);
  both.insert(both.end(), result.begin(), result.end());
  return both;
}

TEST(Atomics, ExchangeAndCompare128Bits) {
  using WideWords = std::vector<std::uint64_t>;
  EXPECT_EQ(wide_atom("atom.global.exch.b128 %d2, [%a], %q2"), (WideWords{3, 4, 1, 2}));
  EXPECT_EQ(wide_atom("atom.global.cas.b128 %d2, [%a], %s2, %q2"), (WideWords{3, 4, 1, 2}));
  EXPECT_EQ(wide_atom("atom.global.cas.b128 %d2, [%a], %q2, %s2"),
            (WideWords{1, 2, 1, 2})); // 3, 4 is not there
  EXPECT_EQ(wide_atom("ld.global.b128 %d2, [%a]"), (WideWords{1, 2, 1, 2}));
  EXPECT_EQ(wide_atom("mov.b128 {%l, _}, %q2;\nmov.b128 %d2, {%m, %l}"), (WideWords{1, 2, 2, 3}));
}

// 1.0 and the thread's number as halves: 32 sums of 1.0 in the lower, of 2.0 in the upper half.
TEST(Atomics, AddPairsOfHalves) {
  const std::string body = "mov.b32 %x, 0x40003c00;\nred.global.add.noftz.f16x2 [%b], %x;\n"
                           "atom.global.add.noftz.bf16 %h, [%b+4], %g;";
  const std::string bfloat = "mov.b16 %g, 0x3f80;\n" + body; // 1.0
  const auto words = words_after(bfloat, iota_words(1));
  EXPECT_EQ(words[0], 0x54005000U); // 64.0, 32.0
  EXPECT_EQ(words[1], 0x4200U);     // 32.0
}

// One thread adds (1, 2) to (0, 0) and takes what is there; 32 threads add (1, 2, 3, 4) to four words behind.
TEST(Atomics, ChangeTheElementsOfVectors) {
  const Code code = Code::of_text(sm_90(text_kernel(
      "setp.eq.u32 %p, %t, 0;\n.reg .f32 %g0, %g1, %g2, %g3;\nmov.f32 %g0, 0f3f800000;\nmov.f32 %g1, "
      "0f40000000;\n"
      "mov.f32 %g2, 0f40400000;\nmov.f32 %g3, 0f40800000;\n"
      "@%p atom.global.add.v2.f32 {%f, %e}, [%a], {%g0, %g1};\n@%p atom.global.add.v2.f32 {%f, %e}, [%a], "
      "{%g0, %g1};\n"
      "@%p st.global.v2.f32 [%b], {%f, %e};\nred.global.add.v4.f32 [%a+16], {%g0, %g1, %g2, %g3};")));
  Device device;
  const Argument a = device.buffer(std::vector<float>(8)), b = device.buffer(std::vector<float>(2));
  device.run(code, {1}, {32}, {a, b, integer(0)});
  EXPECT_EQ(device.read<float>(a), (std::vector<float>{2, 4, 0, 0, 32, 64, 96, 128}));
  EXPECT_EQ(device.read<float>(b), (std::vector<float>{1, 2}));
}

// The whole vector is aligned: 8 bytes for two words.
TEST(Atomics, OfVectorsAreAligned) {
  const Code code = Code::of_text(sm_90(text_kernel("red.global.add.v2.f32 [%a+4], {%f, %e};")));
  Device device;
  const Argument a = device.buffer(std::vector<float>(8)), b = device.buffer(std::vector<float>(2));
  EXPECT_NE(error_of(device.try_run(code, {1}, {1}, {a, b, integer(0)})).find("atomic operation on 8 bytes"),
            std::string::npos);
}

TEST(Atomics, CompareAndSwapSixteenBits) {
  const auto words = words_after(
      "cvt.u16.u32 %g, %t;\nadd.u16 %h, %g, 1;\natom.global.cas.b16 %h, [%b+2], %g, %h;", iota_words(1));
  EXPECT_EQ(words[0], 32U << 16); // lane by lane: 0 becomes 1, 1 becomes 2, ...
}

TEST(Threads, DoNotChangeSums) {
  const Code code = Code::of_path("apps/workloads/basic/histogram/histogram.ptx");
  const auto in = generated<std::uint8_t>(100'000, scrambled);
  std::vector<std::vector<std::uint32_t>> results;
  for (const std::size_t threads : {1, 4}) {
    Device device;
    const Argument bins = device.buffer(std::vector<std::uint32_t>(256));
    device.run(code, {50}, {256}, {device.buffer(in), bins, integer(100'000)}, on_threads(threads));
    results.push_back(device.read<std::uint32_t>(bins));
  }
  EXPECT_EQ(results[0], results[1]);
}

// The first come, first served of atomics that return: CTAs run in order whatever the threads.
TEST(Threads, DoNotChangeTheOrderOfTickets) {
  const Code code =
      Code::of_text(text_kernel("mov.u32 %y, %ctaid.x;\nmul.wide.u32 %o, %y, 4;\nadd.u64 %pb, %b, %o;\n"
                                "atom.global.add.u32 %x, [%a], 1;\nst.global.u32 [%pb], %x;"));
  Device device;
  const Argument a = device.buffer(std::vector<std::uint32_t>(1)),
                 b = device.buffer(std::vector<std::uint32_t>(200));
  device.run(code, {200}, {1}, {a, b, integer(0)}, on_threads(4));
  EXPECT_EQ(device.read<std::uint32_t>(b), iota_words(200));
}

// CTA i polls until CTA i - 1 has stored its flag: in order each finds it at its first poll.
TEST(Threads, DoNotChangeHowOftenCtasPoll) {
  for (const char* load : {"ld.acquire.gpu.global.u32", "ld.volatile.global.u32", "ld.relaxed.gpu.u32"}) {
    const Code code = Code::of_text(text_kernel(
        fmt::format("mov.u32 %y, %ctaid.x;\nmul.wide.u32 %o, %y, 4;\nadd.u64 %pa, %a, %o;\n"
                    "add.u64 %pb, %b, %o;\nmov.u32 %x, 0;\nsetp.eq.u32 %p, %y, 0;\n@%p bra DONE;\n"
                    "POLL:\nadd.u32 %x, %x, 1;\n{} %z, [%pa+-4];\nsetp.eq.u32 %p, %z, 0;\n"
                    "@%p bra POLL;\nDONE:\nst.global.u32 [%pb], %x;\nmov.u32 %w, 1;\n"
                    "st.release.gpu.global.u32 [%pa], %w;",
                    load)));
    Device device;
    const Argument a = device.buffer(std::vector<std::uint32_t>(64)),
                   b = device.buffer(std::vector<std::uint32_t>(64));
    device.run(code, {64}, {1}, {a, b, integer(0)}, on_threads(4));
    std::vector<std::uint32_t> once(64, 1);
    once[0] = 0;
    EXPECT_EQ(device.read<std::uint32_t>(b), once) << load;
  }
}

TEST(Threads, TheFirstFaultIsReported) {
  const Code code = Code::of_path("apps/workloads/basic/vector_add/vector_add.ptx");
  for (const std::size_t threads : {1, 4}) {
    Device device;
    const Argument a = device.buffer(std::vector<float>(20'000));
    const auto result = device.try_run(code, {100}, {256}, {a, a, a, integer(25'600)}, on_threads(threads));
    // 20000 = 78 * 256 + 32
    EXPECT_NE(error_of(result).find("CTA (78, 0, 0), thread (32, 0, 0)"), std::string::npos)
        << error_of(result);
  }
}

} // namespace
} // namespace kerncast::functional_test
