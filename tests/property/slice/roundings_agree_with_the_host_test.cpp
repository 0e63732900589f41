// Random operands in half precision and in conversions: results are those of exact arithmetic on the host,
// rounded there by another way.
#include <cfenv>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "instruction_probe.h"

namespace kerncast::slice_test {
namespace {

__extension__ using Quad = __float128; // 113 bits: holds every product of halves

// A sum and what 113 bits cannot hold of it (Knuth, The Art of Computer Programming 2, sec. 4.2.2, theorem
// B).
struct Sum {
  Quad rounded = 0, rest = 0;
};
Sum sum_of(Quad a, Quad b) {
  const Quad sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

// A half's value, from its fields.
double value_of(U64 bits, int exponent_bits, int mantissa_bits) {
  const auto field = static_cast<int>(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const auto mantissa = static_cast<double>(bits & ((1ULL << mantissa_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits >> (exponent_bits + mantissa_bits) & 1) != 0 ? -1 : 1;
  if (field == (1 << exponent_bits) - 1)
    return mantissa == 0 ? sign * INFINITY : NAN;
  return sign * (field == 0
                     ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                     : std::ldexp(mantissa + std::ldexp(1.0, mantissa_bits), field - bias - mantissa_bits));
}

// Whether a value in the middle of two codes goes to the lower one; `outward`: what it has more than that.
bool ties_to_lower(Quad outward, U64 low) { return outward < 0 || (outward == 0 && low % 2 == 0); }

// The code of the nearest number, ties to even, found by bisection over the codes, which are in order. `rest`
// is too small to matter but where `x` lies in the middle.
U64 nearest(Quad x, int exponent_bits, int mantissa_bits, Quad rest = 0) {
  const U64 infinity = ((1ULL << exponent_bits) - 1) << mantissa_bits;
  const U64 sign =
      x < 0 || (x == 0 && std::signbit(static_cast<double>(x))) ? 1ULL << (exponent_bits + mantissa_bits) : 0;
  const Quad size = x < 0 ? -x : x;
  U64 low = 0, high = infinity; // value(low) <= size; infinity counts as the next power of two
  const auto at = [&](U64 code) -> Quad {
    return code < infinity
               ? Quad{value_of(code, exponent_bits, mantissa_bits)}
               : Quad{2} * value_of(infinity - (1ULL << mantissa_bits), exponent_bits, mantissa_bits);
  };
  if (size >= at(infinity))
    return sign | infinity;
  while (high - low > 1)
    (at((low + high) / 2) <= size ? low : high) = (low + high) / 2;
  const Quad below = size - at(low), above = at(high) - size;
  const bool is_lower = below == above ? ties_to_lower(x < 0 ? -rest : rest, low) : below < above;
  return sign | (is_lower ? low : high);
}

struct Format {
  const char* name;
  int exponent_bits, mantissa_bits;
};
constexpr Format formats[] = {{"f16", 5, 10}, {"bf16", 8, 7}};

class HalfArithmetic : public testing::TestWithParam<Format> {};

// Any finite number; NaNs and infinities have cases of their own.
U64 finite(const Format& f) {
  const U64 magnitudes = ((1ULL << f.exponent_bits) - 1) << f.mantissa_bits;
  return *rc::gen::inRange<U64>(0, magnitudes) | *rc::gen::inRange<U64>(0, 2) << 15;
}

TEST_P(HalfArithmetic, IsRoundedOnce) {
  const Format f = GetParam();
  const std::string type = f.name;
  const InstructionProbe sum("add.rn." + type + " %half, %ha, %hb;"),
      product("mul.rn." + type + " %half, %ha, %hb;"), fused("fma.rn." + type + " %half, %ha, %hb, %hc;");
  const auto number = [&](U64 bits) { return value_of(bits & 0xffff, f.exponent_bits, f.mantissa_bits); };
  EXPECT_TRUE(rc::check([&] {
    // Lane 1 sees 3 a and b + 1.
    constexpr U64 third = 0xaaaaaaaaaaaaaaabULL;
    const U64 a = finite(f), b = finite(f), c = finite(f);
    const Quad x = number(a), y = number(b), z = number(c);
    const auto expect = [&](const InstructionProbe& probe, Sum exact) {
      const auto results = probe.run(a * third, b - 1, c, 2);
      RC_ASSERT(results.has_value());
      if (exact.rounded != 0) // the sign of an exact zero has a case of its own
        RC_ASSERT((*results)[1] == nearest(exact.rounded, f.exponent_bits, f.mantissa_bits, exact.rest));
    };
    expect(sum, sum_of(x, y));
    expect(product, {x * y, 0});
    expect(fused, sum_of(x * y, z));
  }));
}

INSTANTIATE_TEST_SUITE_P(Formats, HalfArithmetic, testing::ValuesIn(formats));

TEST(HalfConversion, OfFloatsIsRoundedToNearest) {
  const InstructionProbe to_half("cvt.rn.f16.f32 %half, %fa;"), to_bfloat("cvt.rn.bf16.f32 %half, %fa;");
  EXPECT_TRUE(rc::check([&] {
    const auto bits =
        *rc::gen::oneOf(rc::gen::inRange<U64>(0, 0x7f800000), rc::gen::inRange<U64>(0x33000000, 0x47800000));
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    constexpr U64 third = 0xaaaaaaaaaaaaaaabULL;
    RC_ASSERT(to_half.run(bits * third, 0, 0, 2).value()[1] == nearest(value, 5, 10));
    RC_ASSERT(to_bfloat.run(bits * third, 0, 0, 2).value()[1] == nearest(value, 8, 7));
  }));
}

TEST(Conversion, FollowsTheDirectionOfRounding) {
  struct Direction {
    const char* instruction;
    int host;
  };
  constexpr Direction directions[] = {{"cvt.rz.f32.f64 %float, %da;", FE_TOWARDZERO},
                                      {"cvt.rm.f32.f64 %float, %da;", FE_DOWNWARD},
                                      {"cvt.rp.f32.f64 %float, %da;", FE_UPWARD}};
  for (const Direction& d : directions) {
    const InstructionProbe probe(d.instruction);
    EXPECT_TRUE(rc::check([&] {
      const auto exponent = *rc::gen::inRange<U64>(860, 1160);
      const U64 bits = (*rc::gen::arbitrary<U64>() & 0x800fffffffffffffULL) | exponent << 52;
      const volatile double value = std::bit_cast<double>(bits);
      std::fesetround(d.host);
      const volatile auto rounded = static_cast<float>(value);
      std::fesetround(FE_TONEAREST);
      constexpr U64 third = 0xaaaaaaaaaaaaaaabULL;
      RC_ASSERT(probe.run(bits * third, 0, 0, 2).value()[1] ==
                U64{std::bit_cast<std::uint32_t>(static_cast<float>(rounded))});
    }));
  }
}

} // namespace
} // namespace kerncast::slice_test
