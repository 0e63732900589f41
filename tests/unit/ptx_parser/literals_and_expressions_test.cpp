// Values of literals and constant expressions (PTX ISA, section 4.5).
#include "ptx_text.h"

namespace kerncast::ptx {
namespace {

std::int64_t integer(const std::string& text) {
  const Function f = parsed_body("mov.b64 b64, " + text + ";");
  return f.instructions.empty() ? -999 : f.operands(f.instructions[0])[1].value;
}

double real(const std::string& text) {
  const Function f = parsed_body("mov.f64 f64, " + text + ";");
  return f.instructions.empty() ? -999 : f.operands(f.instructions[0])[1].real();
}

TEST(Literals, integers_in_four_bases) {
  EXPECT_EQ(integer("12"), 12);
  EXPECT_EQ(integer("0x1f"), 31);
  EXPECT_EQ(integer("0X1F"), 31);
  EXPECT_EQ(integer("017"), 15);
  EXPECT_EQ(integer("0b101"), 5);
  EXPECT_EQ(integer("4U"), 4);
  EXPECT_EQ(integer("18446744073709551615"), -1); // all 64 bits
}

TEST(Literals, reals_decimal_and_bit_exact) {
  EXPECT_EQ(real("1.25e-3"), 1.25e-3);
  EXPECT_EQ(real(".5"), 0.5);
  EXPECT_EQ(real("-5."), -5.0);
  EXPECT_EQ(real("0d3FF8000000000000"), 1.5);
  EXPECT_EQ(real("0f3FC00000"), 1.5);
  EXPECT_EQ(real("1.5 + 2.0 * 2.0"), 5.5);
}

TEST(Expressions, have_the_precedence_of_c) {
  EXPECT_EQ(integer("(1<<4)+3*2-1"), (1 << 4) + 3 * 2 - 1);
  EXPECT_EQ(integer("~0xF&0x3F"), ~0xF & 0x3F);
  EXPECT_EQ(integer("1|6^3&2"), 1 | (6 ^ (3 & 2)));
  EXPECT_EQ(integer("10-4-3"), 3);
  EXPECT_EQ(integer("-7/2"), -3);
  EXPECT_EQ(integer("-7 % 4"), -3);
  EXPECT_EQ(integer("1<2&&3>=3"), 1);
  EXPECT_EQ(integer("1==2||2!=2"), 0);
  EXPECT_EQ(integer("5>3?0x10:7"), 16);
  EXPECT_EQ(integer("!5"), 0);
  EXPECT_EQ(integer("WARP_SZ*2"), 64);
}

TEST(Expressions, are_signed_unless_an_operand_is_not) {
  EXPECT_EQ(integer("-8>>1"), -4);
  EXPECT_EQ(integer("(.u64)-8>>1"), static_cast<std::int64_t>(0xFFFFFFFFFFFFFFF8U >> 1));
  EXPECT_EQ(integer("(.s64)-1<0"), 1);
  EXPECT_EQ(integer("(.u64)-1<0"), 0);
}

TEST(Expressions, overflow_wraps_instead_of_trapping) {
  EXPECT_EQ(integer("-9223372036854775807-1"), INT64_MIN);
  EXPECT_EQ(integer("(-9223372036854775807-1)/-1"), INT64_MIN);
  EXPECT_EQ(integer("1<<64"), 0);
}

TEST(Expressions, nesting_without_end_is_refused) {
  const std::string deep = "mov.b64 b64, " + std::string(100000, '(') + "1;";
  EXPECT_NE(errors_in_body(deep).find("nests deeper than 200 levels"), std::string::npos);
}

} // namespace
} // namespace kerncast::ptx
