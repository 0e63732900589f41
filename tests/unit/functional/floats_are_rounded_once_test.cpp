// Float arithmetic against the host's: all bits, and within the stated bounds where the manual gives bounds.
#include <cmath>

#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

constexpr std::uint32_t canonical_nan = 0x7fffffff;
constexpr std::uint32_t operations = 32 * 256;

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t bits_of(float value) {
  return std::isnan(value) ? canonical_nan : std::bit_cast<std::uint32_t>(value);
}

// Bit patterns of all kinds: every exponent, infinities, NaNs, subnormals.
std::uint32_t pattern(std::uint32_t k) { return scrambled(k); }

// Results of `operation` on %f (pattern k) and %e (pattern 3 k + 1), in %f.
std::vector<std::uint32_t> results_of(const std::string& operation) {
  const Code code = Code::of_text(
      text_kernel("mov.u32 %x, %ctaid.x;\nshl.b32 %x, %x, 5;\nadd.u32 %x, %x, %t;\n"
                  "mul.wide.u32 %o, %x, 8;\nadd.u64 %pa, %a, %o;\n"
                  "ld.global.v2.f32 {%f, %e}, [%pa];\n" +
                  operation + "\nmul.wide.u32 %o, %x, 4;\nadd.u64 %pb, %b, %o;\nst.global.f32 [%pb], %f;"));
  Device device;
  const Argument a = device.buffer(generated<std::uint32_t>(2 * operations, [](std::uint32_t i) {
    return i % 2 == 0 ? pattern(i / 2) : pattern(3 * (i / 2) + 1);
  }));
  const Argument b = device.buffer(std::vector<std::uint32_t>(operations));
  device.run(code, {operations / 32}, {32}, {a, b, integer(0)});
  return device.read<std::uint32_t>(b);
}

template <class F> void expect_bits(const std::string& operation, F&& host) {
  const auto results = results_of(operation);
  for (std::uint32_t k = 0; k < operations; ++k) {
    const float f = as_float(pattern(k)), e = as_float(pattern(3 * k + 1));
    ASSERT_EQ(results[k], bits_of(host(f, e))) << operation << " of " << f << " and " << e;
  }
}

TEST(Floats, AreCorrectlyRounded) {
  expect_bits("add.f32 %f, %f, %e;", [](float f, float e) { return f + e; });
  expect_bits("div.rn.f32 %f, %f, %e;", [](float f, float e) { return f / e; });
  expect_bits("rcp.rn.f32 %f, %f;", [](float f, float) { return 1 / f; });
  expect_bits("sqrt.rn.f32 %f, %f;", [](float f, float) { return std::sqrt(f); });
}

// The sum is close to the product, so that it cancels: all bits of the product count.
TEST(Floats, FusedMultiplyAddRoundsOnce) {
  expect_bits("fma.rn.f32 %f, %f, %e, %f;", [](float f, float e) { return std::fma(f, e, f); });
  expect_bits(
      "mul.f32 %e, %f, %e;\nneg.f32 %e, %e;\nmul.f32 %f, %f, 0f3F800001;\nfma.rn.f32 %f, %f, 0f3F7FFFFF, %e;",
      [](float f, float e) { return std::fma(f * as_float(0x3f800001), as_float(0x3f7fffff), -(f * e)); });
}

// A product of floats is exact in a double; its float below in magnitude is what .rz gives.
TEST(Floats, RoundTowardsZeroDownAndUp) {
  const auto directed = [](float f, float e, int direction) {
    const double exact = static_cast<double>(f) * e;
    const auto nearest = static_cast<float>(exact);
    const bool above = nearest > exact, below = nearest < exact;
    if (direction < 0 && above)
      return std::nextafterf(nearest, -INFINITY);
    return direction > 0 && below ? std::nextafterf(nearest, INFINITY) : nearest;
  };
  expect_bits("mul.rm.f32 %f, %f, %e;", [&](float f, float e) { return directed(f, e, -1); });
  expect_bits("mul.rp.f32 %f, %f, %e;", [&](float f, float e) { return directed(f, e, 1); });
  expect_bits("mul.rz.f32 %f, %f, %e;",
              [&](float f, float e) { return directed(f, e, static_cast<double>(f) * e > 0 ? -1 : 1); });
}

TEST(Floats, FlushSubnormalsAndSaturate) {
  const auto flushed = [](float f) { return std::fabs(f) < 0x1p-126F ? std::copysign(0.0F, f) : f; };
  expect_bits("mul.ftz.f32 %f, %f, %e;", [&](float f, float e) { return flushed(flushed(f) * flushed(e)); });
  expect_bits("mul.sat.f32 %f, %f, %e;",
              [](float f, float e) { return f * e > 0 ? std::min(f * e, 1.0F) : 0.0F; });
}

TEST(Floats, ApproximationsAreWithinTheManualsBounds) {
  const auto expect_near = [](const std::string& operation, auto host, double relative, double absolute) {
    const auto results =
        results_of("and.b32 %x, %x, 4095;\ncvt.rn.f32.u32 %f, %x;\nmul.f32 %f, %f, 0f3B000000;\nmov.u32 %x, "
                   "%ctaid.x;\nshl.b32 %x, %x, 5;\nadd.u32 %x, %x, %t;\n" +
                   operation);
    for (std::uint32_t k = 1; k < 4096; ++k) {
      const double expected = host(static_cast<double>(k) * 0x1p-9); // 0x3b000000 = 2^-9
      ASSERT_NEAR(as_float(results[k]), expected, relative * std::fabs(expected) + absolute)
          << operation << k;
    }
  };
  expect_near(
      "ex2.approx.f32 %f, %f;", [](double x) { return std::exp2(x); }, 0x1p-22, 0);
  expect_near(
      "lg2.approx.f32 %f, %f;", [](double x) { return std::log2(x); }, 0x1p-22, 0x1p-22);
  expect_near(
      "sin.approx.f32 %f, %f;", [](double x) { return std::sin(x); }, 0, 0x1p-20);
  expect_near(
      "cos.approx.f32 %f, %f;", [](double x) { return std::cos(x); }, 0, 0x1p-20);
  expect_near(
      "rsqrt.approx.f32 %f, %f;", [](double x) { return 1 / std::sqrt(x); }, 0x1p-22, 0);
  expect_near(
      "tanh.approx.f32 %f, %f;", [](double x) { return std::tanh(x); }, 0x1p-11, 0);
}

} // namespace
} // namespace kerncast::functional_test
