// The nearest name is suggested: a letter missing, too many, wrong or swapped with its neighbour is one step.
#include "support/suggest.h"

#include <vector>

#include <gtest/gtest.h>

namespace kerncast {
namespace {

const std::vector<std::string_view> names = {"add", "and", "mad", "setp", "ld", "unroll"};

TEST(NearMiss, swapped_letters_are_one_step) {
  EXPECT_EQ(nearest("mda", names), "mad");
  EXPECT_EQ(nearest("step", names), "setp");
}

TEST(NearMiss, one_letter_missing_or_wrong_is_one_step) {
  EXPECT_EQ(nearest("setpp", names), "setp");
  EXPECT_EQ(nearest("sep", names), "setp");
  EXPECT_EQ(nearest("unrol", names), "unroll");
}

TEST(NearMiss, more_than_a_third_of_the_letters_is_too_far) {
  // "nurlol" needs two swaps of six letters, "nurlox" one more step.
  EXPECT_EQ(nearest("nurlol", names), "unroll");
  EXPECT_EQ(nearest("nurlox", names), "");
  EXPECT_EQ(nearest("xyz", names), "");
}

} // namespace
} // namespace kerncast
