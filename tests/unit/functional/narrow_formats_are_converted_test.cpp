// Scale factors (ue8m0), stochastic rounding, and what is done about elements outside of tensors: codes
// worked out from the manual's definitions of the formats.
#include <bit>

#include "target_kernel.h"

namespace kerncast::functional_test {
namespace {

constexpr std::uint32_t infinity = 0x7f800000, not_a_number = 0x7fc00000;

// The code of each f32 beside that of 1, which is 127.
Words scales_of(const std::string& conversion, const Words& floats) {
  return words_after_on("sm_100a",
                        "ld.global.f32 %f, [%pa];\nmov.f32 %e, 0f3f800000;\n" + conversion +
                            ".ue8m0x2.f32 %h, %f, %e;\ncvt.u32.u16 %x, %h;\nst.global.u32 [%pb], %x;",
                        floats, static_cast<std::uint32_t>(floats.size()));
}
Words beside_one(Words codes) {
  for (std::uint32_t& code : codes)
    code = code << 8 | 127;
  return codes;
}

TEST(Scales, ArePowersOfTwoTowardsZeroOrUp) {
  // 1, 1.5, -3, 2^-127, 1.5 x 2^-127, 2^-149, 0, the largest f32
  const Words floats{0x3f800000, 0x3fc00000, 0xc0400000, 0x00400000, 0x00600000, 0x00000001, 0, 0x7f7fffff};
  EXPECT_EQ(scales_of("cvt.rz", floats), beside_one({127, 127, 128, 0, 0, 0, 0, 254}));
  EXPECT_EQ(scales_of("cvt.rp", floats), beside_one({127, 128, 129, 0, 1, 0, 0, 255}));
  EXPECT_EQ(scales_of("cvt.rp.satfinite", floats), beside_one({127, 128, 129, 0, 1, 0, 0, 254}));
}

TEST(Scales, HaveNoInfinity) {
  EXPECT_EQ(scales_of("cvt.rz", {infinity, not_a_number}), beside_one({255, 255}));
  EXPECT_EQ(scales_of("cvt.rz.satfinite", {infinity, not_a_number}), beside_one({254, 255}));
}

TEST(Scales, BecomeHalvesAndComeFromThem) {
  // Upper and lower half: 2^127 and 1.5; -0.75 and 0.
  EXPECT_EQ(words_after_on("sm_100a",
                           "ld.global.b32 %x, [%pa];\ncvt.rp.ue8m0x2.bf16x2 %h, %x;\ncvt.u32.u16 %x, %h;\n"
                           "st.global.u32 [%pb], %x;",
                           {0x7f003fc0, 0xbf400000}, 2),
            (Words{254 << 8 | 128, 127 << 8 | 0}));
  EXPECT_EQ(words_after_on("sm_100a",
                           "ld.global.u32 %x, [%pa];\ncvt.u16.u32 %h, %x;\ncvt.rn.bf16x2.ue8m0x2 %x, %h;\n"
                           "st.global.b32 [%pb], %x;",
                           {127 << 8 | 0, 255 << 8 | 254}, 2),
            (Words{0x3f800040, 0x7fff7f00}));
}

// cvt.rs of the f32 in `value` for a and 1 for b, with random bits.
std::uint32_t rounded(const std::string& conversion, std::uint32_t value, std::uint32_t random) {
  return words_after_on("sm_100a",
                        "ld.global.f32 %f, [%a];\nld.global.b32 %x, [%a+4];\nmov.f32 %e, 0f3f800000;\n" +
                            conversion + ".f32 %y, %f, %e, %x;\nst.global.u32 [%pb], %y;",
                        {value, random}, 1)[0];
}

TEST(StochasticRounding, GoesUpWithACarryOutOfWhatIsCutOff) {
  // 1 + 2^-11: what 10 bits of mantissa cut off are 13 bits, 0x1000.
  EXPECT_EQ(rounded("cvt.rs.f16x2", 0x3f801000, 0x0fff0000), 0x3c003c00U);
  EXPECT_EQ(rounded("cvt.rs.f16x2", 0x3f801000, 0x10000000), 0x3c013c00U);
  EXPECT_EQ(rounded("cvt.rs.f16x2", 0xbf801000, 0x10000000), 0xbc013c00U);
  EXPECT_EQ(rounded("cvt.rs.f16x2", 0x3f801000, 0xefff0000), 0x3c003c00U); // three bits are not used
  EXPECT_EQ(rounded("cvt.rs.f16x2", 0x3f801000, 0x00001fff), 0x3c003c00U); // those of b, which is exact
  // 1 + 2^-8, of which 7 bits of mantissa cut off 0x8000.
  EXPECT_EQ(rounded("cvt.rs.bf16x2", 0x3f808000, 0x7fff0000), 0x3f803f80U);
  EXPECT_EQ(rounded("cvt.rs.bf16x2", 0x3f808000, 0x80000000), 0x3f813f80U);
}

TEST(StochasticRounding, OfSmallAndLargeNumbers) {
  // 2^-25 lies in the middle between zero and the smallest f16.
  EXPECT_EQ(rounded("cvt.rs.f16x2", 0x33000000, 0x0fff0000), 0x00003c00U);
  EXPECT_EQ(rounded("cvt.rs.f16x2", 0x33000000, 0x10000000), 0x00013c00U);
  EXPECT_EQ(rounded("cvt.rs.f16x2", 0x00000001, 0x1fff0000), 0x00003c00U);
  // 65520 lies in the middle between the largest f16 and what would come next.
  EXPECT_EQ(rounded("cvt.rs.f16x2", 0x477ff000, 0x0fff0000), 0x7bff3c00U);
  EXPECT_EQ(rounded("cvt.rs.f16x2", 0x477ff000, 0x10000000), 0x7c003c00U);
  EXPECT_EQ(rounded("cvt.rs.satfinite.f16x2", 0x477ff000, 0x10000000), 0x7bff3c00U);
  EXPECT_EQ(rounded("cvt.rs.satfinite.f16x2", infinity, 0), 0x7bff3c00U);
  EXPECT_EQ(rounded("cvt.rs.f16x2", not_a_number, 0), 0x7fff3c00U);
  EXPECT_EQ(rounded("cvt.rs.relu.f16x2", 0xbf801000, 0x10000000), 0x00003c00U);
}

TEST(StochasticRounding, AgreesWithSumsOfBitPatterns) {
  for (std::uint32_t k = 0; k < 64; ++k) {
    // Normal in f16: exponents 113 to 141 of f32.
    const std::uint32_t value = (scrambled(k) & 0x807fffff) | (113 + scrambled(k + 100) % 29) << 23;
    const std::uint32_t random = scrambled(k + 200);
    const std::uint32_t sum = (value & 0x7fffffff) + (random >> 16 & 0x1fff);
    EXPECT_EQ(rounded("cvt.rs.f16x2", value, random) >> 16,
              (value >> 16 & 0x8000) | ((sum - (112U << 23)) >> 13));
    const std::uint32_t upper = value + (random >> 16);
    EXPECT_EQ(rounded("cvt.rs.bf16x2", value, random) >> 16, upper >> 16);
  }
}

// All four values are the same; d has a first.
std::uint32_t four_rounded(const std::string& format, std::uint32_t value, std::uint32_t random) {
  return words_after_on("sm_100a",
                        "ld.global.f32 %f, [%a];\nld.global.b32 %x, [%a+4];\ncvt.rs.satfinite." + format +
                            ".f32 %y, {%f, %f, %f, %f}, %x;\nst.global.u32 [%pb], %y;",
                        {value, random}, 1)[0];
}

TEST(StochasticRounding, TwoOfFourShareHalfOfTheBitsOneInReverseOrder) {
  // 1 + 2^-4 lies in the middle between two e4m3: half of the range of 16 bits decides. 0x0001 is 0x8000 in
  // reverse order.
  EXPECT_EQ(four_rounded("e4m3x4", 0x3f880000, 0x00018000), 0x39383839U);
  EXPECT_EQ(four_rounded("e4m3x4", 0x3f880000, 0x7fff8000), 0x39383839U);
  EXPECT_EQ(four_rounded("e5m2x4", 0x3f900000, 0x00018000), 0x3d3c3c3dU); // 1 + 2^-3
  EXPECT_EQ(four_rounded("e2m3x4", 0x3f880000, 0x00018000), 0x09080809U);
  EXPECT_EQ(four_rounded("e3m2x4", 0x3f900000, 0x00018000), 0x0d0c0c0dU);
  EXPECT_EQ(four_rounded("e4m3x4", 0x43e80000, 0xffffffff), 0x7e7e7e7eU); // 464 is above the largest, 448
  EXPECT_EQ(four_rounded("e2m3x4", not_a_number, 0), 0x1f1f1f1fU);
}

// a b + c with b and c of one.
Words multiplied(const std::string& operation, const std::string& one, const Words& a) {
  return words_after_on("sm_90",
                        "ld.global.b32 %x, [%pa];\nmov.b32 %y, " + one + ";\n" + operation +
                            " %z, %x, %y, %y;\nst.global.b32 [%pb], %z;",
                        a, static_cast<std::uint32_t>(a.size()));
}

TEST(FusedProducts, OfWhatLiesOutsideOfATensorAreZero) {
  // Outside and 1; 1 and outside; -2 and the ordinary NaN.
  const Words a{0x7ff73c00, 0x3c007ff7, 0xc0007fff};
  EXPECT_EQ(multiplied("fma.rn.oob.f16x2", "0x3c003c00", a), (Words{0x00004000, 0x40000000, 0xbc007fff}));
  EXPECT_EQ(multiplied("fma.rn.oob.relu.f16x2", "0x3c003c00", a),
            (Words{0x00004000, 0x40000000, 0x00007fff}));
  EXPECT_EQ(multiplied("fma.rn.oob.bf16x2", "0x3f803f80", {0x7ff73f80}), Words{0x00004000});
  EXPECT_EQ(multiplied("fma.rn.f16x2", "0x3c003c00", {0x7ff73c00}), Words{0x7fff4000});
}

Words reduced(const std::string& operation, const Words& floats) {
  return words_after_on("sm_100a",
                        "ld.global.f32 %f, [%pa];\nsetp.lt.u32 %q, %t, 16;\n"
                        "selp.b32 %x, 65535, 0xffff0000, %q;\nredux.sync." +
                            operation + ".f32 %e, %f, %x;\nst.global.f32 [%pb], %e;",
                        floats);
}
// The first half of the warp has `first` but for one lane, the second half has -1.
Words halves(std::uint32_t first, std::uint32_t one) {
  Words words(32, 0xbf800000);
  std::fill_n(words.begin(), 16, first);
  words[5] = one;
  return words;
}

TEST(FloatReductions, AreOfTheMembersThatAreNumbers) {
  constexpr std::uint32_t two = 0x40000000, minus_three = 0xc0400000, zero = 0, minus_zero = 0x80000000;
  const Words words = reduced("min", halves(two, minus_three));
  EXPECT_EQ(words[0], minus_three);
  EXPECT_EQ(words[15], minus_three);
  EXPECT_EQ(words[16], 0xbf800000U);
  EXPECT_EQ(reduced("max", halves(two, minus_three))[0], two);
  EXPECT_EQ(reduced("max.abs", halves(two, minus_three))[0], 0x40400000U);
  EXPECT_EQ(reduced("min.abs", halves(two, minus_three))[16], 0x3f800000U);
  EXPECT_EQ(reduced("min", halves(two, not_a_number))[0], two);
  EXPECT_EQ(reduced("min.NaN", halves(two, not_a_number))[0], 0x7fffffffU);
  EXPECT_EQ(reduced("min.NaN", halves(two, not_a_number))[16], 0xbf800000U);
  EXPECT_EQ(reduced("max", halves(not_a_number, not_a_number))[0], 0x7fffffffU);
  EXPECT_EQ(reduced("min", halves(zero, minus_zero))[0], minus_zero);
  EXPECT_EQ(reduced("max", halves(minus_zero, zero))[0], zero);
}

} // namespace
} // namespace kerncast::functional_test
