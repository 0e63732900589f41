// Claims: an object is read by its table; unknown, repeated, missing and unfit fields are located, all of
// them.
#include "json/object_reader.h"

#include <gtest/gtest.h>

namespace kerncast::json {
namespace {

struct Launch {
  std::uint64_t grid = 0;
  double rate = 0;
  std::string kernel;
};

void read_grid(ValueReader& reader, NodeId value, Launch& into) {
  into.grid = reader.natural(value, reader.key(value), {1, 100}).value_or(0);
}
void read_rate(ValueReader& reader, NodeId value, Launch& into) {
  into.rate = reader.real(value, reader.key(value), 0, 1).value_or(-1);
}
void read_kernel(ValueReader& reader, NodeId value, Launch& into) {
  into.kernel = reader.string(value, reader.key(value)).value_or("");
}

constexpr Field<Launch> fields[] = {{"grid", Need::required, read_grid},
                                    {"rate", Need::optional, read_rate},
                                    {"kernel", Need::optional, read_kernel},
                                    {"comment", Need::optional, read_nothing<Launch>}};

struct Outcome {
  Launch launch;
  std::string errors;
};

Outcome read(const std::string& text, Others others = Others::refused, std::size_t limit = 0) {
  const SourceText source("t.json", text);
  const Expected<Tree> tree = parse(source, 0, text.size());
  if (!tree)
    return {{}, render(tree.error())};
  Diagnostics errors;
  ValueReader reader(source, *tree, {.hint = "see the manual", .limit = limit}, errors);
  Outcome outcome;
  read_object(reader, 0, "launch", fields, outcome.launch, others);
  outcome.errors = render(errors);
  return outcome;
}

std::string errors_in_object(const std::string& text) { return read(text).errors; }

TEST(Objects, AreReadByTheirTable) {
  const Outcome outcome = read(R"({"comment": [1, {}], "kernel": "k", "rate": 1, "grid": 7})");
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(outcome.launch.grid, 7U);
  EXPECT_EQ(outcome.launch.rate, 1.0); // a whole number where a fraction may stand
  EXPECT_EQ(outcome.launch.kernel, "k");
}

TEST(Objects, WithAnUnknownFieldGetASuggestion) {
  EXPECT_EQ(errors_in_object("{\"grid\": 1,\n \"kernl\": \"k\"}"),
            R"(t.json:2:2: error: unknown field of launch 'kernl'
   "kernl": "k"}
   ^~~~~~~
t.json:2:2: note: did you mean 'kernel'?
)");
}

TEST(Objects, WithAFieldUnlikeAllOthersNameTheKnownOnes) {
  EXPECT_NE(errors_in_object(R"({"grid": 1, "zzzzzz": 1})").find("note: known: grid, rate, kernel, comment"),
            std::string::npos);
}

TEST(Objects, ThatMayHaveOtherFieldsIgnoreThem) {
  EXPECT_EQ(read(R"({"grid": 1, "kernl": "k"})", Others::ignored).errors, "");
}

TEST(Objects, WithAFieldTwiceAreRefusedAtTheSecond) {
  EXPECT_EQ(errors_in_object("{\"grid\": 1,\n\"grid\": 2}"), R"(t.json:2:1: error: 'grid' is given twice
  "grid": 2}
  ^~~~~~
t.json:2:1: note: the first is in line 1
)");
}

TEST(Objects, WithoutARequiredFieldAreRefusedAtTheirBracket) {
  EXPECT_EQ(errors_in_object(" {\"rate\": 1}"), R"(t.json:1:2: error: launch has no 'grid'
   {"rate": 1}
   ^
t.json:1:2: note: add "grid"
)");
}

TEST(Objects, WithAValueOutsideItsBoundsSayWhatWasFound) {
  EXPECT_EQ(errors_in_object(R"({"grid": 101})"),
            R"(t.json:1:10: error: grid must be a whole number from 1 to 100, not 101
  {"grid": 101}
           ^~~
t.json:1:10: note: see the manual
)");
}

TEST(Objects, WithAValueOfAnotherKindSayWhatWasFound) {
  const auto message = [](const std::string& text) {
    const std::string errors = errors_in_object(text);
    return errors.substr(0, errors.find('\n'));
  };
  EXPECT_EQ(message(R"({"grid": 2.50})"),
            "t.json:1:10: error: grid must be a whole number from 1 to 100, not 2.50");
  EXPECT_EQ(message(R"({"grid": null})"),
            "t.json:1:10: error: grid must be a whole number from 1 to 100, not null");
  EXPECT_EQ(message(R"({"grid": 1, "rate": "1"})"),
            "t.json:1:21: error: rate must be a number, not a string");
  EXPECT_EQ(message(R"({"grid": 1, "rate": -1})"), "t.json:1:21: error: rate must lie in [0, 1], not -1");
  EXPECT_EQ(message(R"({"grid": 1, "kernel": {}})"),
            "t.json:1:23: error: kernel must be a string, not an object");
  EXPECT_EQ(message(R"({"grid": 1, "kernel": ""})"), "t.json:1:23: error: kernel must not be empty");
  EXPECT_EQ(message("[]"), "t.json:1:1: error: launch must be an object, not an array");
}

TEST(Objects, ReportAsManyErrorsAsAreWanted) {
  const std::string text = R"({"gird": 1, "rate": 2, "kernel": 3})"; // and no grid
  const auto count = [](const std::string& errors) {
    std::size_t found = 0;
    for (std::size_t at = errors.find("error: "); at != std::string::npos;
         at = errors.find("error: ", at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count(read(text).errors), 4U);
  EXPECT_EQ(count(read(text, Others::refused, 3).errors), 3U);
}

} // namespace
} // namespace kerncast::json
