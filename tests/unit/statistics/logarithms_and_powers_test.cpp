#include <cmath>

#include <gtest/gtest.h>

#include "statistics/logarithm.h"

namespace kerncast::statistics {
namespace {

TEST(BinaryLogarithms, OfPowersOfTwoAreWhole) {
  for (int n = -1074; n < 1024; ++n)
    EXPECT_EQ(binary_logarithm(std::ldexp(1.0, n)), n);
}

TEST(BinaryLogarithms, AreThoseOfTheLibrary) {
  for (double x = 1e-9; x < 1e12; x *= 1.0371)
    EXPECT_NEAR(binary_logarithm(x), std::log2(x), 1e-15 * std::max(1.0, std::abs(std::log2(x)))) << x;
}

TEST(PowersOfTwo, OfWholeNumbersAreExact) {
  for (int n = -1074; n < 1024; ++n)
    EXPECT_EQ(power_of_two(n), std::ldexp(1.0, n));
  EXPECT_EQ(power_of_two(1024), HUGE_VAL);
  EXPECT_EQ(power_of_two(5000), HUGE_VAL);
  EXPECT_EQ(power_of_two(-5000), 0);
}

TEST(PowersOfTwo, AreThoseOfTheLibrary) {
  for (double x = -40; x < 40; x += 0.0137)
    EXPECT_NEAR(power_of_two(x), std::exp2(x), 1e-15 * std::exp2(x)) << x;
}

} // namespace
} // namespace kerncast::statistics
