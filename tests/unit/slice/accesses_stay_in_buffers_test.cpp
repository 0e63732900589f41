// Accesses outside of described buffers end slice execution with who and where, if they surely happen.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

using testing::HasSubstr;

// Each thread stores to the element of its number in the grid, where `body` does not say otherwise: %l2 is
// the element's address, %r4 the thread's number, %r5 the number given.
Kernel storing(const std::string& body) {
  return Kernel::of_text(R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
.reg .pred %p<3>;
.reg .b32 %r<9>;
.reg .b64 %l<5>;
ld.param.u64 %l1, [a];
ld.param.u32 %r5, [n];
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %ntid.x;
mov.u32 %r3, %tid.x;
mad.lo.s32 %r4, %r1, %r2, %r3;
mul.wide.s32 %l2, %r4, 4;
add.s64 %l2, %l1, %l2;
)" + body + "\nret;\n}\n");
}
Expected<LaunchBehaviour> executed(const Kernel& kernel, std::uint32_t ctas, std::uint64_t bytes,
                                   std::int32_t n = 0, std::uint64_t offset = 0) {
  return kernel.try_execute(launch({ctas, 1, 1}, {64, 1, 1}, {buffer(0, offset, bytes), integer(n)}));
}
std::string error_of(const Expected<LaunchBehaviour>& result) { return result ? "" : render(result.error()); }

const std::string store_of_number = "st.global.u32 [%l2], %r4;";

// 4 CTAs of 64 threads store 1,024 bytes. With 4 bytes less it is the last thread of the last CTA.
TEST(Bounds, TheLastThreadBehindTheEndIsNamed) {
  EXPECT_TRUE(executed(storing(store_of_number), 4, 1024));
  const std::string error = error_of(executed(storing(store_of_number), 4, 1020));
  EXPECT_THAT(error,
              HasSubstr("test.ptx:17:1: error: kernel k, CTA (3, 0, 0), thread (63, 0, 0): an access of 4 "
                        "bytes at byte 1020 of argument 1, which is a buffer of 1020 bytes"));
  EXPECT_THAT(error, HasSubstr("note: give the buffer or the dynamic shared memory the bytes"));
}

TEST(Bounds, AccessesBeforeTheBeginningAreNamed) {
  EXPECT_THAT(error_of(executed(storing("st.global.u32 [%l2+-8], %r4;"), 1, 1024)),
              HasSubstr("CTA (0, 0, 0), thread (0, 0, 0): an access of 4 bytes 8 bytes before argument 1"));
  EXPECT_TRUE(executed(storing("st.global.u32 [%l2+-8], %r4;"), 1, 1024, 0, 8));
}

// The grid is never executed CTA by CTA: a million CTAs, of which the last is behind the end.
TEST(Bounds, AreFoundInLargeGrids) {
  EXPECT_TRUE(executed(storing(store_of_number), 1'000'000, 256'000'000));
  EXPECT_THAT(error_of(executed(storing(store_of_number), 1'000'000, 255'999'999)),
              HasSubstr("CTA (999999, 0, 0), thread (63, 0, 0)"));
}

// Ten million iterations, of which the last is behind the end.
TEST(Bounds, AreFoundAtTheEndOfLoops) {
  const Kernel kernel = storing("mov.u32 %r7, 0;\nLOOP:\n" + store_of_number +
                                "\nadd.s64 %l2, %l2, 256;\nadd.s32 %r7, %r7, 1;\n"
                                "setp.lt.s32 %p1, %r7, %r5;\n@%p1 bra LOOP;");
  EXPECT_TRUE(executed(kernel, 1, 2'560'000'000, 10'000'000));
  EXPECT_THAT(error_of(executed(kernel, 1, 2'559'999'996, 10'000'000)),
              HasSubstr("thread (63, 0, 0): an access of 4 bytes at byte 2559999996"));
}

// Nobody knows that the branch is taken, or that the buffer is there.
TEST(Bounds, AreNotLookedForBehindUnknownBranches) {
  EXPECT_TRUE(executed(storing("ld.global.u32 %r7, [%l1];\nsetp.eq.s32 %p1, %r7, 0;\n@%p1 bra OUT;\n" +
                               store_of_number + "\nOUT:"),
                       4, 1020));
  EXPECT_TRUE(executed(
      storing("ld.global.u32 %r7, [%l1];\nsetp.eq.s32 %p1, %r7, 0;\n@%p1 " + store_of_number), 4, 1020));
  EXPECT_TRUE(storing(store_of_number).try_execute(launch({4, 1, 1}, {64, 1, 1}, {})));
}

// 64 threads store a word each, in 128 bytes and those that the launch adds.
TEST(Bounds, SharedMemoryHasAnEnd) {
  const Kernel kernel = storing(".shared .align 16 .b8 s[128];\nmov.u32 %r6, s;\nshl.b32 %r7, %r3, 2;\n"
                                "add.s32 %r6, %r6, %r7;\nst.shared.u32 [%r6], %r3;");
  Launch l = launch({2, 1, 1}, {64, 1, 1}, {buffer(0), integer(0)});
  l.dynamic_shared_bytes = 0;
  EXPECT_THAT(
      error_of(kernel.try_execute(l)),
      HasSubstr("CTA (0, 0, 0), thread (32, 0, 0): an access of 4 bytes at shared 0x80, where the CTA has "
                "128 bytes"));
  l.dynamic_shared_bytes = 128;
  EXPECT_TRUE(kernel.try_execute(l));
}

TEST(Bounds, LocalMemoryHasAnEnd) {
  const Kernel kernel = storing(".local .align 4 .b8 b[64];\nmov.u64 %l3, b;\nmul.wide.u32 %l4, %r5, 4;\n"
                                "add.s64 %l3, %l3, %l4;\nst.local.u32 [%l3], %r4;");
  EXPECT_TRUE(executed(kernel, 1, 1024, 15));
  EXPECT_THAT(error_of(executed(kernel, 1, 1024, 16)),
              HasSubstr("an access of 4 bytes at byte 64 of the thread's local memory, which has 64 bytes"));
}

TEST(Bounds, NothingLiesAroundNull) {
  EXPECT_THAT(
      error_of(executed(storing("mov.u64 %l3, 8;\nst.global.u32 [%l3], %r4;"), 1, 1024)),
      HasSubstr("CTA (0, 0, 0), thread (0, 0, 0): an access of 4 bytes at address 0x8, where no memory"));
}

// Generic addresses from 0 on are those of shared memory, as far as the CTA has some.
TEST(Bounds, NothingLiesAroundNullButSharedMemory) {
  const Kernel kernel = storing("mov.u64 %l3, 8;\nst.u32 [%l3], %r4;");
  Launch l = launch({1, 1, 1}, {64, 1, 1}, {buffer(0), integer(0)});
  for (const std::uint32_t bytes : {0U, 8U}) {
    l.dynamic_shared_bytes = bytes;
    EXPECT_THAT(error_of(kernel.try_execute(l)), HasSubstr("an access of 4 bytes at address 0x8, where"))
        << bytes;
  }
  l.dynamic_shared_bytes = 16;
  EXPECT_TRUE(kernel.try_execute(l));
}

// A vector of two words has eight bytes; threads 1, 3, ... are four off.
TEST(Bounds, AddressesMustBeAligned) {
  EXPECT_TRUE(executed(storing("st.global.u32 [%l2+4], %r4;"), 1, 1024));
  EXPECT_THAT(
      error_of(executed(storing("st.global.u32 [%l2+2], %r4;"), 1, 1024)),
      HasSubstr("thread (0, 0, 0): an access of 4 bytes at byte 2 of argument 1, which is a buffer of "
                "1024 bytes; addresses must be multiples of 4"));
  EXPECT_THAT(error_of(executed(storing("st.global.v2.u32 [%l2], {%r4, %r4};"), 1, 1024)),
              HasSubstr("thread (1, 0, 0): an access of 8 bytes at byte 4 of argument 1"));
}

TEST(Bounds, HintsAndCopiesOfNoBytesMayLieOutside) {
  EXPECT_TRUE(executed(storing("prefetch.global.L2 [%l2];"), 4, 1020));
  EXPECT_TRUE(executed(storing(".shared .align 16 .b8 s[16];\nmov.u32 %r6, s;\n"
                               "cp.async.ca.shared.global [%r6], [%l2], 4, %r5;"),
                       4, 1020));
}

// n lies at byte 8 of 12. What only data come from counts too.
TEST(Bounds, LoadsOutsideOfTheParametersAreErrors) {
  EXPECT_THAT(
      error_of(executed(storing("ld.param.u32 %r7, [n+4];\nst.global.u32 [%l2], %r7;"), 1, 1024)),
      HasSubstr("test.ptx:17:1: error: kernel k, CTA (0, 0, 0), thread (0, 0, 0): ld.param.u32 at byte "
                "12 of the kernel's parameters, of which there are 12"));
  EXPECT_THAT(
      error_of(executed(storing("ld.param.u32 %r7, [a+2];\n@%p1 st.global.u32 [%l2], %r7;"), 1, 1024)),
      HasSubstr("ld.param.u32 at byte 2 of the kernel's parameters, which is no multiple of 4"));
  EXPECT_TRUE(executed(storing("ld.param.u32 %r7, [a+4];\nst.global.u32 [%l2], %r7;"), 1, 1024));
  EXPECT_TRUE(executed(storing("ld.global.u32 %r7, [%l1];\nsetp.eq.s32 %p1, %r7, 0;\n@%p1 bra OUT;\n"
                               "ld.param.u32 %r7, [n+4];\nOUT:"),
                       1, 1024));
}

} // namespace
} // namespace kerncast::slice_test
