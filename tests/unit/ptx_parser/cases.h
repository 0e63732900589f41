// What the tests of accepted and refused texts share: a text each, and for wrong ones what is said about it.
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "ptx_text.h"

namespace kerncast::ptx {

struct Wrong {
  const char* text;
  const char* message; // part of it, or all
};
inline void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.text; }

class Text : public testing::TestWithParam<const char*> {};
class WrongText : public testing::TestWithParam<Wrong> {};

// Of `errors`, a line each, there is one, which has the message in it.
inline void expect_only_error(const std::string& errors, std::string_view message) {
  EXPECT_THAT(errors, testing::HasSubstr(std::string(message)));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
}

} // namespace kerncast::ptx
