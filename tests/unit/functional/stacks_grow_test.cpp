// alloca takes local memory, which stackrestore and the end of a function give back.
#include <gmock/gmock.h>

#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

using testing::HasSubstr;

std::string error_of_stack(const std::string& body, const std::string& declarations = {}) {
  const Code code = Code::of_text(text_kernel(body, declarations));
  Device device;
  const Argument a = device.buffer(iota_words(64)), b = device.buffer(iota_words(64));
  return error_of(device.try_run(code, {1}, {64}, {a, b, integer(0)}));
}

// Two blocks of each thread, at multiples of 16 and of 8, hold their own values.
TEST(Alloca, GivesLocalMemory) {
  const auto words = words_after("mov.u64 %l, 12;\nalloca.u64 %m, %l, 16;\nst.local.u32 [%m+8], %t;\n"
                                 "alloca.u64 %l, %l;\nst.local.u32 [%l], 1000;\nld.local.u32 %x, [%m+8];\n"
                                 "cvt.u32.u64 %y, %l;\ncvt.u32.u64 %z, %m;\nsub.u32 %y, %y, %z;\n"
                                 "mad.lo.u32 %x, %y, 100, %x;\nst.global.u32 [%pb], %x;",
                                 {});
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(words[t], 1600 + t);
}

TEST(Alloca, IsBoundByTheStack) {
  EXPECT_EQ(error_of_stack("mov.u64 %l, 1024;\nalloca.u64 %m, %l;\n"), "");
  EXPECT_THAT(error_of_stack("mov.u64 %l, 600;\nalloca.u64 %m, %l;\nalloca.u64 %m, %l;\n"),
              HasSubstr("alloca of 600 bytes, of which the stack has 424 left"));
}

TEST(Alloca, IsUndoneByRestoring) {
  EXPECT_EQ(error_of_stack("mov.u32 %x, 0;\nmov.u64 %l, 600;\nLOOP:\nstacksave.u64 %o;\nalloca.u64 %m, %l;\n"
                           "st.local.u32 [%m+596], %x;\nstackrestore.u64 %o;\nadd.u32 %x, %x, 1;\n"
                           "setp.lt.u32 %p, %x, 100;\n@%p bra LOOP;\n"),
            "");
}

TEST(Alloca, IsUndoneAtTheEndOfTheFunction) {
  const std::string function = ".func f()\n{\n.reg .b64 %s, %d;\nmov.u64 %s, 600;\nalloca.u64 %d, %s;\n"
                               "st.local.u32 [%d], 1;\nret;\n}\n";
  EXPECT_EQ(error_of_stack("call f;\ncall f;\ncall f;\n", function), "");
}

} // namespace
} // namespace kerncast::functional_test
