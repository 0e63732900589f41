// A wrong ISA table is refused with the place of every mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

std::string errors_of_isa(const std::string& text) {
  const Sandbox sandbox;
  sandbox.write("isa/mine.toml", text);
  return sandbox.errors_of("inherits = \"unit\"\narchitecture = \"mine\"\nunits.alu.latency = 1\n");
}

TEST(IsaError, UnknownUnitNamesBothFiles) {
  EXPECT_EQ(errors_of_isa("[[op]]\nptx = [\"add.s32\", \"sub.s32\"]\nis = [{unit = \"allu\"}]\n"),
            "isa/mine.toml:3:15: error: GPU 'g' has no unit 'allu'\n"
            "  is = [{unit = \"allu\"}]\n"
            "                ^~~~~~\n"
            "isa/mine.toml:3:15: note: its units are alu, fp32, fp64, sfu, branch, lsu "
            "(gpus/g.toml:3)\n");
}

TEST(IsaError, TwoRowsForTheSameOperation) {
  EXPECT_EQ(
      errors_of_isa("[[op]]\nptx = [\"add.{s32,u32}\"]\nis = []\n[[op]]\nptx = [\"add.u32\"]\nis = []\n"),
      "isa/mine.toml:5:8: error: a second row for 'add.u32'\n"
      "  ptx = [\"add.u32\"]\n"
      "         ^~~~~~~~~\n"
      "isa/mine.toml:5:8: note: the first is at isa/mine.toml:2\n");
}

TEST(IsaError, UnknownKeyIsRefusedWithASuggestion) {
  EXPECT_EQ(errors_of_isa("[[op]]\nptx = [\"add\"]\nis = [{unit = \"alu\", latncy = 3}]\n"),
            "isa/mine.toml:3:22: error: unknown key 'latncy'\n"
            "  is = [{unit = \"alu\", latncy = 3}]\n"
            "                       ^~~~~~\n"
            "isa/mine.toml:3:22: note: did you mean 'latency'?\n");
  EXPECT_THAT(errors_of_isa("[[ops]]\nptx = [\"add\"]\nis = []\n"),
              testing::HasSubstr("error: unknown key 'ops'\n"));
}

TEST(IsaError, EveryMistakeOfARowIsReported) {
  struct Case {
    const char* row;
    const char* message;
  };
  for (const Case& c : {
           Case{"ptx = [\"add\"]", "a row needs 'ptx' with at least one operation, and 'is'"},
           Case{"ptx = []\nis = []", "a row needs 'ptx' with at least one operation, and 'is'"},
           Case{"ptx = [\"add..s32\"]\nis = []", "not a PTX operation"},
           Case{"ptx = [\"add.{s32\"]\nis = []", "not a PTX operation"},
           Case{"ptx = [7]\nis = []", "not a PTX operation"},
           Case{"ptx = [\"add\"]\nis = [3]", "not a machine operation"},
           Case{"ptx = [\"add\"]\nis = [{latency = 3}]", "a machine operation needs its unit"},
           Case{"ptx = [\"add\"]\nis = [{unit = \"alu\", latency = -1}]",
                "latency must be a number from 0 to 1000000"},
           Case{"ptx = [\"add\"]\nis = [{unit = \"alu\", latency = nan}]",
                "latency must be a number from 0 to 1000000"},
           Case{"ptx = [\"add\"]\nis = [{unit = \"alu\", count = 0}]",
                "count must be a number from 1 to 4096"},
           Case{"ptx = [\"add\"]\nis = [{unit = \"alu\", count = 1.5}]", "count must be a whole number"},
           Case{"ptx = [\"atom\"]\nis = []\nloop = true", "'loop' is \"once\" or \"lanes\""},
           Case{"ptx = [\"atom\"]\nis = []\nturns = 0.5", "'turns' is not a number of turns"},
           Case{"ptx = [\"add\"]\nis = [{unit = \"alu\", parallel = 1}]", "parallel must be true or false"},
           Case{"ptx = [\"add\"]\nis = [{unit = \"alu\", counted_as = \"none\"}]",
                "'counted_as' is \"misc\" or \"communication\""},
       })
    EXPECT_THAT(errors_of_isa(std::string("[[op]]\n") + c.row + "\n"),
                testing::HasSubstr(std::string("error: ") + c.message + "\n"))
        << c.row;
}

TEST(IsaError, BracesCannotExplode) {
  std::string pattern = "add";
  for (int i = 0; i < 11; ++i) // 2^11 = 2048 operations, more than 1024
    pattern += ".{a,b}";
  EXPECT_THAT(errors_of_isa("[[op]]\nptx = [\"" + pattern + "\"]\nis = []\n"),
              testing::HasSubstr("error: not a PTX operation\n"));
}

TEST(IsaError, TablesCannotInheritInACircle) {
  const Sandbox sandbox;
  sandbox.write("isa/mine.toml", "inherits = \"yours\"\n");
  sandbox.write("isa/yours.toml", "inherits = \"mine\"\n");
  EXPECT_THAT(sandbox.errors_of("inherits = \"unit\"\narchitecture = \"mine\"\n"),
              testing::HasSubstr("isa/yours.toml:1:12: note: the circle begins at isa/mine.toml:1\n"));
}

} // namespace
} // namespace kerncast::configs::test
