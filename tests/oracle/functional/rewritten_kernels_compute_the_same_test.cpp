// A kernel whose loops are unrolled and whose local arrays lie in registers leaves the same bytes in memory
// as the kernel as written.
#include "device.h"
#include "lowering/lower_compiled.h"

namespace kerncast::functional_test {
namespace {

constexpr std::size_t threads = 64;

std::string kernel(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) "
         "{\n"
         ".local .align 16 .b8 A[32];\n.reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %d<30>;\n"
         "ld.param.u64 %d1, [in];\nld.param.u64 %d2, [out];\nmov.u32 %r1, %tid.x;\n"
         "mul.wide.u32 %d3, %r1, 4;\nadd.s64 %d4, %d1, %d3;\nadd.s64 %d5, %d2, %d3;\n"
         "ld.global.u32 %r2, [%d4];\nmov.u32 %r3, 0;\nmov.u32 %r4, 0;\nmov.u64 %d6, A;\n" +
         body + "st.global.u32 [%d5], %r4;\nret;\n}\n";
}

std::vector<std::uint32_t> output(Device& device, const functional::Kernel& code) {
  const auto in = device.buffer(generated<std::uint32_t>(threads, scrambled));
  const auto out = device.buffer(std::vector<std::uint32_t>(threads));
  Launch launch;
  launch.grid = {1};
  launch.block = {threads};
  launch.arguments = {in, out};
  const auto run = code.run(launch, device.memory, {});
  EXPECT_TRUE(run) << render(run.error());
  return device.read<std::uint32_t>(out);
}

// Whether something was rewritten, and how many bytes of stack are left.
struct Rewritten {
  bool is_changed = false;
  std::uint32_t local_bytes = 0;
};

Rewritten expect_the_same(const std::string& body) {
  const Code written = Code::of_text(kernel(body));
  const auto compiled = lowering::lower_compiled(written.module(), written.function());
  EXPECT_TRUE(compiled) << render(compiled.error());
  if (!compiled || !compiled->rewritten)
    return {};
  Device one, other;
  const functional::Kernel rewritten(written.module(), compiled->rewritten->function, compiled->list);
  const auto expected = output(one, written.kernel());
  EXPECT_EQ(output(other, rewritten), expected);
  EXPECT_NE(expected, std::vector<std::uint32_t>(threads));
  return {true, compiled->list.local_bytes_per_thread};
}

TEST(RewrittenKernels, WithACounterThatIsAnAddress) {
  EXPECT_TRUE(
      expect_the_same("LOOP:\nmul.wide.u32 %d7, %r3, 4;\nadd.s64 %d8, %d1, %d7;\n"
                      "ld.global.u32 %r5, [%d8];\nmad.lo.s32 %r4, %r4, 5, %r5;\nadd.s32 %r3, %r3, 1;\n"
                      "setp.ne.s32 %p1, %r3, 7;\n@%p1 bra LOOP;\nadd.s32 %r4, %r4, %r3;\n")
          .is_changed);
}

// Lanes leave the body's branch differently in each trip; %r6 keeps the last value that some trip wrote.
TEST(RewrittenKernels, WithWaysThroughTheBody) {
  EXPECT_TRUE(expect_the_same("mov.u32 %r6, 3;\nLOOP:\nshr.u32 %r5, %r2, %r3;\nand.b32 %r5, %r5, 1;\n"
                              "setp.eq.u32 %p2, %r5, 0;\n@%p2 bra SKIP;\nmad.lo.s32 %r6, %r6, 7, %r3;\n"
                              "add.s32 %r4, %r4, %r6;\nSKIP:\nxor.b32 %r4, %r4, %r3;\nadd.s32 %r3, %r3, 1;\n"
                              "setp.lt.s32 %p1, %r3, 6;\n@%p1 bra LOOP;\nadd.s32 %r4, %r4, %r6;\n")
                  .is_changed);
}

TEST(RewrittenKernels, WithPredicatedWritesAndValuesOfTheTripBefore) {
  EXPECT_TRUE(
      expect_the_same("mov.u32 %r7, 1;\nmov.u32 %r8, 9;\nLOOP:\nadd.s32 %r5, %r7, %r2;\n"
                      "setp.gt.u32 %p2, %r5, 1000000;\n@%p2 mov.u32 %r8, %r5;\nadd.s32 %r4, %r4, %r8;\n"
                      "mov.u32 %r7, %r4;\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, 5;\n"
                      "@%p1 bra LOOP;\n")
          .is_changed);
}

const std::string fill =
    "st.local.u32 [%d6], %r2;\nst.local.u32 [%d6+4], %r1;\nst.local.v2.u32 [%d6+8], {%r2, "
    "%r1};\nst.local.v4.u32 [%d6+16], {%r1, %r2, %r2, %r1};\n";
const std::string sum_of_array =
    "ld.local.u32 %r9, [%d6+4];\nld.local.v4.u32 {%r10, %r11, %r12, %r13}, [%d6+16];\n"
    "mad.lo.s32 %r4, %r9, 3, %r10;\nmad.lo.s32 %r4, %r4, 5, %r11;\n"
    "mad.lo.s32 %r4, %r4, 7, %r12;\nmad.lo.s32 %r4, %r4, 9, %r13;\n";

TEST(RewrittenKernels, WithAnArrayAtKnownPlaces) {
  EXPECT_EQ(expect_the_same(fill + sum_of_array).local_bytes, 0u);
}

// Two elements a trip, four trips that stay a loop: comparisons choose the elements.
TEST(RewrittenKernels, WithAPointerThatWalks) {
  const Rewritten rewritten = expect_the_same(
      fill +
      "mov.u64 %d7, %d6;\nLOOP:\n.pragma \"nounroll\";\nld.local.v2.u32 {%r5, %r6}, [%d7];\n"
      "mad.lo.s32 %r5, %r5, 3, %r2;\nxor.b32 %r6, %r6, %r5;\nst.local.v2.u32 [%d7], {%r5, %r6};\n"
      "add.s64 %d7, %d7, 8;\nadd.s32 %r3, %r3, 1;\nsetp.ne.s32 %p1, %r3, 4;\n@%p1 bra LOOP;\n" +
      sum_of_array);
  EXPECT_TRUE(rewritten.is_changed);
  EXPECT_EQ(rewritten.local_bytes, 0u);
}

TEST(RewrittenKernels, WithAnIndexFromMemory) {
  const Rewritten rewritten =
      expect_the_same(fill +
                      "and.b32 %r5, %r2, 7;\nmul.wide.u32 %d7, %r5, 4;\nadd.s64 %d8, %d6, %d7;\n"
                      "ld.local.u32 %r6, [%d8];\nadd.s32 %r6, %r6, 5;\nst.local.u32 [%d8], %r6;\n" +
                      sum_of_array + "add.s32 %r4, %r4, %r6;\n");
  EXPECT_TRUE(rewritten.is_changed);
  EXPECT_EQ(rewritten.local_bytes, 0u);
}

// Unrolled, every place of the walk is known.
TEST(RewrittenKernels, WithAnArrayInAnUnrolledLoop) {
  EXPECT_EQ(
      expect_the_same(fill +
                      "mov.u64 %d7, %d6;\nLOOP:\nld.local.u32 %r5, [%d7];\nmad.lo.s32 %r5, %r5, %r3, %r2;\n"
                      "st.local.u32 [%d7], %r5;\nadd.s64 %d7, %d7, 4;\nadd.s32 %r3, %r3, 1;\n"
                      "setp.ne.s32 %p1, %r3, 8;\n@%p1 bra LOOP;\n" +
                      sum_of_array)
          .local_bytes,
      0u);
}

// for (j = 0, k = 6; j < 7; k = j++)
TEST(RewrittenKernels, WithACopyInFrontOfTheStep) {
  EXPECT_TRUE(expect_the_same("mov.u32 %r6, 6;\nLOOP:\nmov.u32 %r7, %r6;\nmov.u32 %r6, %r3;\n"
                              "mad.lo.s32 %r4, %r7, %r6, %r4;\nmad.lo.s32 %r4, %r4, 3, %r2;\n"
                              "add.s32 %r3, %r6, 1;\nsetp.ne.s32 %p1, %r3, 7;\n@%p1 bra LOOP;\n")
                  .is_changed);
}

// Around the unrolled loop one that stays: its trips go on where the one before has stopped.
const std::string around = "mov.u32 %r20, 0;\nOUTER:\nmov.u32 %r21, 0;\n";
const std::string end_of_around = "add.s32 %r20, %r20, 1;\nsetp.lt.s32 %p8, %r20, %r1;\n@%p8 bra OUTER;\n";

TEST(RewrittenKernels, WithAValueThatPassesFromOneLoopToTheNext) {
  EXPECT_TRUE(expect_the_same("mov.u32 %r6, 1;\n" + around +
                              "LOOP:\nmad.lo.s32 %r4, %r6, 3, %r2;\nmad.lo.s32 %r6, %r6, 5, 7;\n"
                              "add.s32 %r21, %r21, 1;\nsetp.ne.s32 %p1, %r21, 8;\n@%p1 bra LOOP;\n" +
                              end_of_around)
                  .is_changed);
}

TEST(RewrittenKernels, WithAValueThatEachLoopBeginsAnew) {
  EXPECT_TRUE(expect_the_same(around +
                              "mov.u32 %r6, %r20;\n"
                              "LOOP:\nmad.lo.s32 %r4, %r6, 3, %r4;\nmad.lo.s32 %r6, %r6, 5, 7;\n"
                              "add.s32 %r21, %r21, 1;\nsetp.ne.s32 %p1, %r21, 8;\n@%p1 bra LOOP;\n" +
                              end_of_around)
                  .is_changed);
}

// Every second trip reads what the one before wrote.
TEST(RewrittenKernels, WithAWriteThatSomeTripsSkip) {
  EXPECT_TRUE(expect_the_same("LOOP:\nand.b32 %r9, %r3, 1;\nsetp.ne.u32 %p3, %r9, 0;\n@%p3 bra SKIP;\n"
                              "add.s32 %r10, %r3, %r2;\nSKIP:\nmad.lo.s32 %r4, %r4, 5, %r10;\n"
                              "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, 6;\n@%p1 bra LOOP;\n")
                  .is_changed);
}

// Trips that a branch makes more, a start that a branch leaves out, and comparisons of numbers without sign.
TEST(RewrittenKernels, WithLoopsThatOnlySeemToBeCounted) {
  expect_the_same(
      "mov.u32 %r7, 0;\nmov.u32 %r8, 0;\nLOOP:\nmad.lo.s32 %r4, %r4, 5, %r2;\n"
      "add.s32 %r8, %r8, 1;\nand.b32 %r9, %r8, 1;\nsetp.ne.u32 %p3, %r9, 0;\n@%p3 bra SKIP;\n"
      "mov.u32 %r7, %r3;\nSKIP:\nadd.s32 %r3, %r7, 1;\nsetp.lt.s32 %p1, %r3, 6;\n@%p1 bra LOOP;\n");
  expect_the_same(
      "mov.u32 %r20, 0;\nOUTER:\nand.b32 %r9, %r20, 1;\nsetp.ne.u32 %p3, %r9, 0;\n@%p3 bra LOOP;\n"
      "mov.u32 %r6, 0;\nLOOP:\nmad.lo.s32 %r4, %r4, 5, %r2;\nadd.s32 %r6, %r6, 1;\n"
      "setp.lt.s32 %p1, %r6, 5;\n@%p1 bra LOOP;\n" +
      end_of_around);
  expect_the_same("mov.u32 %r6, -5;\nLOOP:\nmad.lo.s32 %r4, %r4, 5, %r2;\nadd.s32 %r6, %r6, 1;\n"
                  "setp.lt.u32 %p1, %r6, 10;\n@%p1 bra LOOP;\n");
  expect_the_same("mov.u32 %r6, 14;\nLOOP:\nmad.lo.s32 %r4, %r4, 5, %r2;\nsub.s32 %r6, 7, %r6;\n"
                  "setp.gt.s32 %p1, %r6, 0;\n@%p1 bra LOOP;\n");
}

// The second store to a place stays behind the first, which has a neighbour.
TEST(RewrittenKernels, WithTwoStoresToOnePlace) {
  EXPECT_TRUE(
      expect_the_same(
          ".shared .align 16 .b8 S[1024];\nmov.u32 %r6, S;\nshl.b32 %r7, %r1, 4;\nadd.s32 %r6, %r6, %r7;\n"
          "st.shared.u32 [%r6+4], 1;\nst.shared.u32 [%r6+4], 2;\nst.shared.u32 [%r6], 3;\n"
          "LOOP:\nadd.s32 %r4, %r4, %r2;\nadd.s32 %r3, %r3, 1;\nsetp.ne.s32 %p1, %r3, 3;\n"
          "@%p1 bra LOOP;\nld.shared.u32 %r7, [%r6+4];\nadd.s32 %r4, %r4, %r7;\n")
          .is_changed);
}

} // namespace
} // namespace kerncast::functional_test
