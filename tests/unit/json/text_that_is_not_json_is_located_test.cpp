// Claims: text that is cut, damaged or nested too deeply is refused where it goes wrong, and never crashes.
#include "json/tree.h"

#include <gtest/gtest.h>

namespace kerncast::json {
namespace {

std::string errors_of(const std::string& text) {
  const SourceText source("t.json", text);
  const Expected<Tree> tree = parse(source, 0, text.size());
  return tree ? "no error" : render(tree.error());
}

std::string first_line_of_errors(const std::string& text) {
  const std::string errors = errors_of(text);
  return errors.substr(0, errors.find('\n'));
}

TEST(DamagedText, IsShownWithACaretAndANextStep) {
  EXPECT_EQ(errors_of("{\"app\": \"x\",\n \"grid\": ]"),
            R"(t.json:2:10: error: not valid JSON: unexpected ']'; expected '[', '{', or a literal
   "grid": ]
           ^
t.json:2:10: note: the text ends early or was damaged; write it again
)");
}

TEST(DamagedText, IsLocatedWhateverTheDamage) {
  EXPECT_EQ(first_line_of_errors(""),
            "t.json:1:1: error: not valid JSON: unexpected end of input; expected '[', '{', or a literal");
  EXPECT_EQ(first_line_of_errors("[1] 2"),
            "t.json:1:5: error: not valid JSON: unexpected number literal; expected end of input");
  EXPECT_EQ(first_line_of_errors("[1,\n2"),
            "t.json:2:2: error: not valid JSON: unexpected end of input; expected ']'");
  EXPECT_EQ(first_line_of_errors("[\"sy"),
            "t.json:1:5: error: not valid JSON: invalid string: missing closing quote");
  EXPECT_EQ(first_line_of_errors(std::string("[\"\0\"]", 5)),
            "t.json:1:3: error: not valid JSON: invalid string: control character U+0000 (NUL) must be "
            "escaped to \\u0000");
  EXPECT_EQ(first_line_of_errors("\x7f"
                                 "ELF\x01\x02")
                .substr(0, 20),
            "t.json:1:1: error: n");
  EXPECT_NE(errors_of("[\"\xff\"]"), "no error"); // not UTF-8
}

TEST(DamagedText, CutAnywhereIsAnError) {
  const std::string whole =
      R"({"args": [{"buffer": "temp"}, {"f32": -0.5e-3}], "loops": {"a\"b": 3, "c": null}})";
  ASSERT_EQ(errors_of(whole), "no error");
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(errors_of(whole.substr(0, length)), "no error") << length;
}

TEST(DamagedText, NestedTooDeeplyIsRefusedAtThatDepth) {
  const std::size_t deepest = max_depth;
  EXPECT_EQ(errors_of(std::string(deepest, '[') + std::string(deepest, ']')), "no error");
  EXPECT_EQ(first_line_of_errors(std::string(1'000'000, '[')),
            "t.json:1:65: error: more than 64 levels of nesting");
  EXPECT_NE(errors_of(std::string(deepest + 1, '['))
                .find("t.json:1:65: note: a bracket before it may not be closed; events within events"),
            std::string::npos);
  // 64 times five characters stand before the object that is too deep.
  std::string objects;
  for (int i = 0; i < 65; ++i)
    objects += R"({"k":)";
  EXPECT_EQ(first_line_of_errors(objects), "t.json:1:321: error: more than 64 levels of nesting");
}

} // namespace
} // namespace kerncast::json
