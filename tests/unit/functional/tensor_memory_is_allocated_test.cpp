// tcgen05.alloc and dealloc: what goes wrong is said with line, CTA and thread.
#include <gmock/gmock.h>

#include "device.h"

namespace kerncast::functional_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string error_of_allocation(const std::string& body, std::uint32_t threads = 32) {
  const std::string text =
      ".version 9.0\n.target sm_100a\n.address_size 64\n"
      ".visible .entry k(.param .u64 o)\n{\n"
      ".shared .align 4 .b32 base;\n.shared .align 4 .b32 other;\n.shared .align 8 .b64 done;\n"
      ".reg .pred %p;\n.reg .b32 %b, %c, %x, %n;\n.reg .b64 %o, %l;\nld.param.u64 %o, [o];\n" +
      body + "ret;\n}\n";
  Device device;
  const Argument out = device.buffer(std::vector<std::uint32_t>(threads));
  const auto result = device.try_run(Code::of_text(text), {1}, {threads}, {out});
  return error_of(result);
}

const std::string alloc = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 ";
const std::string dealloc = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 ";

TEST(TensorMemory, ColumnsAreGivenOutFromTheLowestFree) {
  // 64 columns at 0, 32 at 64; the first ones returned, 32 fit before the others again.
  EXPECT_EQ(error_of_allocation(alloc + "[base], 64;\nld.shared.b32 %b, [base];\n" + alloc +
                                "[other], 32;\n"
                                "ld.shared.b32 %c, [other];\n" +
                                dealloc + "%b, 64;\n" + alloc +
                                "[base], 32;\n"
                                "ld.shared.b32 %b, [base];\nshl.b32 %x, %c, 16;\nor.b32 %x, %x, %b;\n"
                                "setp.eq.u32 %p, %x, 4194304;\n@!%p trap;\n" +
                                dealloc + "%b, 32;\n" + dealloc + "%c, 32;\n"),
            "");
}

TEST(TensorMemory, WhatDoesNotFitIsAFault) {
  EXPECT_THAT(
      error_of_allocation(alloc + "[base], 512;\n" + alloc + "[other], 32;\n"),
      AllOf(HasSubstr("test.ptx:14:"), HasSubstr("kernel k, CTA (0, 0, 0), thread (0, 0, 0)"),
            HasSubstr("tcgen05.alloc of 32 columns, of which the CTA has not so many free in a row")));
  EXPECT_THAT(error_of_allocation("mov.u32 %n, 48;\n" + alloc + "[base], %n;\n"),
              HasSubstr("tcgen05.alloc of 48 columns"));
  EXPECT_THAT(error_of_allocation("mov.u32 %n, 16;\n" + alloc + "[base], %n;\n"),
              HasSubstr("a power of two from 32 to 512"));
}

TEST(TensorMemory, IsReturnedOnceAndWhole) {
  const std::string begin = alloc + "[base], 64;\nld.shared.b32 %b, [base];\n";
  EXPECT_THAT(error_of_allocation(begin + dealloc + "%b, 64;\n" + dealloc + "%b, 64;\n"),
              HasSubstr("tcgen05.dealloc of 64 columns at 0x0, which are not allocated as such"));
  EXPECT_THAT(error_of_allocation(begin + dealloc + "%b, 32;\n"), HasSubstr("dealloc of 32 columns"));
  EXPECT_THAT(error_of_allocation(begin),
              AllOf(HasSubstr("test.ptx:13:"),
                    HasSubstr("64 columns of tensor memory are still allocated when the CTA ends")));
}

TEST(TensorMemory, IsNotAllocatedWithoutThePermit) {
  EXPECT_THAT(error_of_allocation("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" + alloc +
                                  "[base], 32;\n"),
              HasSubstr("after tcgen05.relinquish_alloc_permit"));
}

TEST(TensorMemory, AccessesOutsideOfAllocationsAreFaults) {
  const std::string begin = alloc + "[base], 32;\nld.shared.b32 %b, [base];\n";
  EXPECT_THAT(error_of_allocation(begin + "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%x, %n}, [%b+31];\n"),
              HasSubstr("access to tensor memory that is not allocated, at lane 0 column 32"));
  EXPECT_THAT(error_of_allocation(begin + "tcgen05.st.sync.aligned.16x64b.x1.b32 [%b+2097152], {%x};\n"),
              AllOf(HasSubstr("tcgen05.st of lane 32 of tensor memory by warp 0"),
                    HasSubstr("it reaches lanes 0 to 31")));
  EXPECT_THAT(error_of_allocation(begin + "mov.u32 %x, %tid.x;\nadd.u32 %b, %b, %x;\n"
                                          "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%x}, [%b];\n"),
              AllOf(HasSubstr("thread (1, 0, 0)"), HasSubstr("different addresses of tensor memory")));
  EXPECT_THAT(error_of_allocation(begin + "mov.u32 %x, %tid.x;\nsetp.eq.u32 %p, %x, 0;\n"
                                          "@%p tcgen05.ld.sync.aligned.32x32b.x1.b32 {%x}, [%b];\n"),
              HasSubstr("that not all threads of the warp execute"));
}

TEST(TensorMemory, HasOneKindOfGroupInAKernel) {
  EXPECT_THAT(error_of_allocation(alloc + "[base], 32;\nld.shared.b32 %b, [base];\n"
                                          "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %b, 32;\n"),
              HasSubstr("with .cta_group::1 and .cta_group::2 in one kernel"));
}

// A CTA of a cooperative grid, which reads where the grid meets, has its own; it has no pair.
TEST(TensorMemory, IsOfEachCtaOfACooperativeGrid) {
  const std::string begin = "mov.u32 %x, %envreg1;\n" + alloc + "[base], 32;\nld.shared.b32 %b, [base];\n";
  const std::string end = "st.global.b32 [%o], %n;\n" + dealloc + "%b, 32;\n";
  EXPECT_EQ(
      error_of_allocation(begin +
                          "mov.u32 %x, 5;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%b], {%x};\n"
                          "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%n}, [%b];\n"
                          "setp.eq.u32 %p, %n, 5;\n@!%p trap;\ntcgen05.shift.cta_group::1.down [%b];\n" +
                          end),
      "");
  EXPECT_THAT(
      error_of_allocation("mov.u32 %x, %envreg1;\nmov.u32 %b, 0;\ntcgen05.shift.cta_group::2.down [%b];\n"),
      HasSubstr("a CTA whose pair in its cluster is not there"));
}

} // namespace
} // namespace kerncast::functional_test
