// Expressions of sweep files mean what they say, and say where they are wrong.
#include <cmath>

#include <gtest/gtest.h>

#include "sweep/expression.h"

namespace kerncast::sweep::test {
namespace {

// Names are worth 10, 11, 12, ... in the order of their first use.
double value(const std::string& text) {
  const SourceText source("s.toml", text);
  const Expected<Expression> expression = parse_expression(source, {1, 1}, text);
  if (!expression)
    return -1e9;
  std::vector<double> values;
  for (std::size_t i = 0; i < expression->names.size(); ++i)
    values.push_back(10.0 + static_cast<double>(i));
  return evaluate(*expression, values);
}

std::string expression_errors(const std::string& text) {
  const SourceText source("s.toml", text);
  const Expected<Expression> expression = parse_expression(source, {1, 1}, text);
  return expression ? "" : render(expression.error());
}

TEST(Expressions, ProductsBindBeforeSumsAndLeftBeforeRight) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("24 / 4 / 2"), 3);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("-2 * -3"), 6);
  EXPECT_EQ(value("1e3 + .5"), 1000.5);
}

TEST(Expressions, ComparisonsBindBeforeNotAndOr) {
  EXPECT_EQ(value("1 + 1 < 3 and 2 > 1"), 1);
  EXPECT_EQ(value("not 1 < 2 or 3 != 3"), 0);
  EXPECT_EQ(value("1 > 2 or 2 >= 2"), 1);
  EXPECT_EQ(value("1 == 1 and not 2 <= 1"), 1);
}

TEST(Expressions, FunctionsTakeOneOrSeveralNumbers) {
  EXPECT_EQ(value("min(3, 1, 2) + max(1, 5)"), 6);
  EXPECT_EQ(value("floor(2.7) + ceil(2.1) + abs(-1) + sqrt(16)"), 10);
}

TEST(Expressions, WithoutAValueAreNotANumberUnlessTheRestDecides) {
  for (const char* text : {"1 / 0", "0 / 0 != 1", "not (0 / 0 < 1)", "sqrt(-1) < 4", "min(1, 0 / 0)",
                           "1 / 0 > 1 and 2 > 1", "1 / 0 > 1 or 1 > 2"})
    EXPECT_TRUE(std::isnan(value(text))) << text;
  EXPECT_EQ(value("1 / 0 > 1 and 1 > 2"), 0);
  EXPECT_EQ(value("1 / 0 > 1 or 2 > 1"), 1);
}

TEST(Expressions, NamesAreFoundOnceAndBracesHoldAnyName) {
  EXPECT_EQ(value("sms * 2 + l2.mib - sms"), 21); // 10 * 2 + 11 - 10
  EXPECT_EQ(value("{lattice-qcd.total_time_us} - sms"), -1);
}

TEST(Expressions, ErrorsStandUnderWhatIsWrong) {
  EXPECT_EQ(expression_errors("sms + "),
            "s.toml:1:7: error: the expression ends where a number or a name must stand\n"
            "  sms + \n"
            "        ^\n"
            "s.toml:1:7: note: for example: sms * 4.5 + l2.mib <= 400\n");
  EXPECT_EQ(expression_errors("mni(1, 2)"), "s.toml:1:1: error: unknown function 'mni'\n"
                                            "  mni(1, 2)\n"
                                            "  ^~~\n"
                                            "s.toml:1:1: note: did you mean 'min'?\n");
}

TEST(Expressions, ConditionsAreNoNumbersAndNumbersNoConditions) {
  EXPECT_NE(expression_errors("(1 < 2) + 3").find("a condition where a number must stand"),
            std::string::npos);
  EXPECT_NE(expression_errors("1 and 2 < 3").find("a number where a condition must stand"),
            std::string::npos);
  EXPECT_NE(expression_errors("1 < 2 < 3").find("a condition where a number must stand"), std::string::npos);
}

TEST(Expressions, AreRefusedRatherThanReadDeeply) {
  EXPECT_NE(expression_errors(std::string(1000, '(') + "1").find("too deeply nested"), std::string::npos);
  EXPECT_NE(expression_errors(std::string(5000, ' ')).find("5000 characters"), std::string::npos);
  for (const char* text : {"", ")", "1 2", "sqrt(1, 2)", "min(1)", "1e", "{", "{}", "a $ b", "1 <", "not"})
    EXPECT_NE(expression_errors(text), "") << text;
}

} // namespace
} // namespace kerncast::sweep::test
