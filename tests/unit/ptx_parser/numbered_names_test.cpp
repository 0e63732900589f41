// Which names that end in digits a range `stem<9>` meets, and that finding out costs the same however many
// there are.
#include "numbered_names.h"

#include <deque>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kerncast::ptx {
namespace {

TEST(NumberedNames, belong_to_every_stem_they_can_be_read_with) {
  NumberedNames names;
  names.add("a12", 1, {7, 1});
  ASSERT_NE(names.find("a"), nullptr);
  EXPECT_EQ(names.find("a")->number, 12U);
  ASSERT_NE(names.find("a1"), nullptr);
  EXPECT_EQ(names.find("a1")->number, 2U);
  EXPECT_EQ(names.find("a1")->place.line, 7U);
  EXPECT_EQ(names.find("a12"), nullptr);
}

TEST(NumberedNames, leading_zero_is_no_number_of_a_range) {
  NumberedNames names;
  names.add("a05", 1, {});
  EXPECT_EQ(names.find("a"), nullptr);
  EXPECT_EQ(names.find("a0")->number, 5U);
}

TEST(NumberedNames, lowest_of_the_innermost_scope_counts) {
  NumberedNames names;
  names.add("a7", 1, {});
  names.add("a3", 1, {});
  names.add("a5", 1, {});
  EXPECT_EQ(names.find("a")->number, 3U);
  names.add("a9", 2, {});
  EXPECT_EQ(names.find("a")->number, 9U);
  EXPECT_EQ(names.find("a")->scope, 2U);
  names.close_scope(2);
  EXPECT_EQ(names.find("a")->number, 3U);
  names.close_scope(1);
  EXPECT_EQ(names.find("a"), nullptr);
}

// a0x0, a1x0 ... and then z0x<1>, z1x<1> ...: a name has one stem here, a range looks one up.
TEST(NumberedNames, n_names_and_n_ranges_take_2n_lookups) {
  constexpr std::uint32_t n = 10000;
  NumberedNames names;
  std::deque<std::string> text;
  for (std::uint32_t i = 0; i < n; ++i)
    names.add(text.emplace_back(fmt::format("a{}x0", i)), 1, {});
  for (std::uint32_t i = 0; i < n; ++i)
    EXPECT_EQ(names.find(text.emplace_back(fmt::format("z{}x", i))), nullptr);
  EXPECT_EQ(names.lookups(), 2U * n);
}

// At most nine digits are a register's number, so a name has at most nine stems.
TEST(NumberedNames, long_number_takes_nine_lookups) {
  NumberedNames names;
  names.add("a" + std::string(1000, '1'), 1, {});
  EXPECT_EQ(names.lookups(), 9U);
}

} // namespace
} // namespace kerncast::ptx
