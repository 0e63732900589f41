// White space, comments and line marks may stand between an opcode and its modifiers; an error points to the
// modifier itself. Elsewhere '#' begins nothing. What is accepted was put to ptxas 13.0, with the same
// result.
#include "cases.h"

namespace kerncast::ptx {
namespace {

class Gap : public Text {};
TEST_P(Gap, is_no_part_of_the_opcode) {
  const Function f = parsed_body("add" + std::string(GetParam()) + ".u32 u32, u32, 1;");
  ASSERT_EQ(f.instructions.size(), 2U);
  EXPECT_EQ(f.instructions.front().opcode, Opcode::add);
}
INSTANTIATE_TEST_SUITE_P(of_an_opcode, Gap,
                         testing::Values("/*x*/", " /* x */ /**/", "// x\n", " // x\n\t", "\n# 7 \"x\"\n",
                                         " # 7 \"x\"\n"));

TEST(Comment, may_stand_in_front_of_the_colon_of_a_label) { EXPECT_EQ(errors_in_body("L/*x*/: bra L;"), ""); }

// The place of the one error.
std::string place_of_error(std::string_view statement) {
  const auto module = parse_text(".version 8.7\n.target sm_90\n.entry k() {\n.reg .s32 r;\n" +
                                 std::string(statement) + "\n}\n");
  EXPECT_FALSE(module);
  if (module || module.error().size() != 1)
    return "";
  const Place place = module.error().front().place;
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

TEST(Caret, is_below_the_wrong_modifier_whatever_is_in_front_of_it) {
  // columns: add is 1 to 3, the blank 4, .sat 5 to 8, .s33 from 9 on
  EXPECT_EQ(place_of_error("add.sat.s33 r, r, r;"), "5:8");
  EXPECT_EQ(place_of_error("add .sat.s33 r, r, r;"), "5:9");
  EXPECT_EQ(place_of_error("add .sat   .s33 r, r, r;"), "5:12");
  EXPECT_EQ(place_of_error("add/*x*/.sat.s33 r, r, r;"), "5:13");
  EXPECT_EQ(place_of_error("\tadd.sat /* x\n */ .s33 r, r, r;"), "6:5");
  EXPECT_EQ(place_of_error("add\n.sat\n  .s33 r, r, r;"), "7:3");
}

TEST(Caret, is_below_the_opcode_where_that_is_wrong) {
  EXPECT_EQ(place_of_error("  addd .s32 r, r, r;"), "5:3");
  EXPECT_EQ(place_of_error("  fma .s32 r, r, r, r;"), "5:7"); // fma has no .s32
}

class LineMark : public Text {};
TEST_P(LineMark, is_passed_over) { EXPECT_EQ(errors_in_body(std::string(GetParam()) + "\nret;"), ""); }
INSTANTIATE_TEST_SUITE_P(of_the_preprocessor, LineMark,
                         testing::Values("# 7 \"x.cu\"", "#7 \"x\"", "#\t7\t\"x\"", "#line 7 \"x\"",
                                         "  #  line 7 \"x\"", "# 7 \"x\" 1 3", "# 7 \"x\" \r",
                                         "ret; # 7 \"x\"", "/* a */ # 7 \"\""));

class NoLineMark : public Text {};
TEST_P(NoLineMark, is_an_error_that_says_what_a_line_mark_is) {
  const auto module = parse_text(kernel(GetParam()));
  ASSERT_FALSE(module);
  ASSERT_EQ(module.error().size(), 1U) << render(module.error());
  EXPECT_THAT(module.error().front().message, testing::HasSubstr("found '#'"));
  EXPECT_THAT(module.error().front().notes.front(), testing::HasSubstr("#line 7 \"file\""));
}
INSTANTIATE_TEST_SUITE_P(but_swallowed_text, NoLineMark,
                         testing::Values("add.u32 u32, # foo\nu32, u32;", "# foo\nret;", "#line 7\nret;",
                                         "# 7\nret;", "#pragma once\nret;", "#line 7 \"x\" foo\nret;",
                                         "# 7 \"x\" ret;", "# 0x7 \"x\"\nret;", "#"));

TEST(NoLineMark, outside_functions_is_an_error_too) {
  EXPECT_EQ(errors_in(".version 8.7\n.target sm_90\n# include\n"),
            "3:1: expected a directive such as .entry, but found '#'\n");
}

} // namespace
} // namespace kerncast::ptx
