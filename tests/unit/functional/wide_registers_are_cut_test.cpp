// cvt takes 64-bit registers for narrower types: the manual's section 9.4.1.
#include <bit>

#include <gtest/gtest.h>

#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

// What `instruction` leaves in %l, where %m is 0x89abcdeff2348798 and %h its low 16 bits.
std::uint64_t longword_after(const std::string& instruction) {
  const auto words = words_after("mov.u64 %m, 0x89abcdeff2348798;\ncvt.u16.u64 %h, %m;\n" + instruction +
                                     "\nmul.lo.u32 %x, %t, 32;\nshr.u64 %m, %l, %x;\ncvt.u32.u64 %y, %m;\n"
                                     "st.global.u32 [%pb], %y;",
                                 {}, 2);
  return std::uint64_t{words[1]} << 32 | words[0];
}

// The same for %x.
std::uint32_t word_after(const std::string& instruction) {
  return words_after("mov.u64 %m, 0x89abcdeff2348798;\n" + instruction + "\nst.global.u32 [%pb], %x;", {},
                     1)[0];
}

TEST(ConversionOfAWideSource, ReadsItsLowBits) {
  EXPECT_EQ(longword_after("cvt.s64.s32 %l, %m;"), 0xfffffffff2348798);
  EXPECT_EQ(longword_after("cvt.u64.u32 %l, %m;"), 0xf2348798);
  EXPECT_EQ(longword_after("cvt.s64.s16 %l, %m;"), 0xffffffffffff8798);
  EXPECT_EQ(longword_after("cvt.u64.u8 %l, %m;"), 0x98);
  EXPECT_EQ(longword_after("mov.u64 %l, %m;\ncvt.s64.s8 %l, %l;"), 0xffffffffffffff98);
  EXPECT_EQ(word_after("cvt.s32.s8 %x, %m;"), 0xffffff98);
  EXPECT_EQ(word_after("cvt.u32.u16 %x, %m;"), 0x8798);
  EXPECT_EQ(word_after("cvt.rn.f32.s32 %f, %m;\nmov.b32 %x, %f;"),
            std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(0xf2348798))));
}

TEST(ConversionToAWideRegister, ExtendsItsResult) {
  EXPECT_EQ(longword_after("cvt.u32.u64 %l, %m;"), 0xf2348798);
  EXPECT_EQ(longword_after("cvt.s32.u64 %l, %m;"), 0xfffffffff2348798);
  EXPECT_EQ(longword_after("cvt.s16.s32 %l, %m;"), 0xffffffffffff8798);
  EXPECT_EQ(longword_after("cvt.u16.s32 %l, %m;"), 0x8798);
  EXPECT_EQ(longword_after("cvt.u32.u16 %l, %h;"), 0x8798);
  EXPECT_EQ(longword_after("cvt.s32.s16 %l, %h;"), 0xffffffffffff8798);
  EXPECT_EQ(longword_after("cvt.u32.s16 %l, %h;"), 0xffff8798);
}

TEST(ConversionOfAWideSource, KeepsItsGuard) {
  EXPECT_EQ(longword_after("mov.u64 %l, 7;\nsetp.eq.u32 %p, 0, 1;\n@%p cvt.s64.s32 %l, %m;"), 7U);
}

} // namespace
} // namespace kerncast::functional_test
