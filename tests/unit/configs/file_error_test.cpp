// A wrong GPU file is refused with the place, the line and a next step, and all its errors are reported.
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

TEST(FileError, UnknownKeyIsRefusedWithASuggestion) {
  EXPECT_EQ(Sandbox().errors_of("inherits = \"unit\"\n[l1]\nlatncy = 3\n"),
            "gpus/g.toml:3:1: error: unknown key 'l1.latncy'\n"
            "  latncy = 3\n"
            "  ^~~~~~\n"
            "gpus/g.toml:3:1: note: did you mean 'l1.latency'?\n");
}

TEST(FileError, UnknownKeyOfAUnitKeepsTheUnitInItsSuggestion) {
  EXPECT_EQ(Sandbox().errors_of("inherits = \"unit\"\nunits.alu.latncy = 3\n"),
            "gpus/g.toml:2:11: error: unknown key 'units.alu.latncy'\n"
            "  units.alu.latncy = 3\n"
            "            ^~~~~~\n"
            "gpus/g.toml:2:11: note: did you mean 'units.alu.latency'?\n");
}

TEST(FileError, ValueInPlaceOfATableNamesTheTablesKeys) {
  EXPECT_EQ(Sandbox().errors_of("inherits = \"unit\"\nshared = 3\n"),
            "gpus/g.toml:2:1: error: unknown key 'shared'\n"
            "  shared = 3\n"
            "  ^~~~~~\n"
            "gpus/g.toml:2:1: note: its keys are shared.latency, shared.bytes_per_clock, shared.banks, "
            "shared.bank_bytes\n");
}

TEST(FileError, WrongTypeNamesBothTypes) {
  EXPECT_EQ(Sandbox().errors_of("inherits = \"unit\"\nsms = \"many\"\n"),
            "gpus/g.toml:2:7: error: sms must be a number, is a text\n"
            "  sms = \"many\"\n"
            "        ^~~~~~\n"
            "gpus/g.toml:2:7: note: sms: streaming multiprocessors that are enabled\n");
}

TEST(FileError, ArrayIsNoValue) {
  EXPECT_EQ(
      Sandbox().errors_of("inherits = \"unit\"\nclock_mhz = [1]\n"),
      "gpus/g.toml:2:13: error: clock_mhz must be a number, is an array\n"
      "  clock_mhz = [1]\n"
      "              ^~~\n"
      "gpus/g.toml:2:13: note: clock_mhz: SM clock; every cycle of the description is one of it, in MHz\n");
}

TEST(FileError, EveryValueOutOfBoundsIsReported) {
  EXPECT_EQ(
      Sandbox().errors_of("inherits = \"unit\"\nsms = 0\nclock_mhz = -5\n"
                          "l2.latency = nan\ndram.gib = 1e300\nl1.line_bytes = 64.5\n"),
      "gpus/g.toml:2:7: error: sms must be at least 1, is 0\n"
      "  sms = 0\n"
      "        ^\n"
      "gpus/g.toml:2:7: note: sms: streaming multiprocessors that are enabled\n"
      "gpus/g.toml:3:13: error: clock_mhz must be at least 10, is -5\n"
      "  clock_mhz = -5\n"
      "              ^~\n"
      "gpus/g.toml:3:13: note: clock_mhz: SM clock; every cycle of the description is one of it, in MHz\n"
      "gpus/g.toml:4:14: error: l2.latency must be a finite number, is nan\n"
      "  l2.latency = nan\n"
      "               ^~~\n"
      "gpus/g.toml:4:14: note: l2.latency: of an L1 miss that hits L2, from issue, in cycles\n"
      "gpus/g.toml:5:12: error: dram.gib must be at most 65536, is 1e+300\n"
      "  dram.gib = 1e300\n"
      "             ^~~~~\n"
      "gpus/g.toml:5:12: note: dram.gib: device memory, in GiB\n"
      "gpus/g.toml:6:17: error: l1.line_bytes must be a whole number, is 64.5\n"
      "  l1.line_bytes = 64.5\n"
      "                  ^~~~\n"
      "gpus/g.toml:6:17: note: l1.line_bytes: line, of up to 32 sectors, in bytes\n");
}

TEST(FileError, ChoiceNamesWhatThereIs) {
  EXPECT_EQ(Sandbox().errors_of("inherits = \"unit\"\nscheduler = \"fifo\"\n"),
            "gpus/g.toml:2:13: error: scheduler must be one of lrr, gto, oldest, two-level, gty, is 'fifo'\n"
            "  scheduler = \"fifo\"\n"
            "              ^~~~~~\n"
            "gpus/g.toml:2:13: note: scheduler: policy by which a scheduler picks among ready warps\n");
}

TEST(FileError, MissingKeysAreNamedWithTheirMeaning) {
  const std::string errors = Sandbox().errors_of("inherits = \"cc-8.0\"\n");
  EXPECT_THAT(
      errors,
      testing::HasSubstr("gpus/g.toml: error: missing key 'sms': streaming multiprocessors that are enabled\n"
                         "gpus/g.toml: note: state it, or inherit from a file that does\n"));
  EXPECT_THAT(errors, testing::HasSubstr("error: missing key 'dram.bandwidth_gbps': pin bandwidth\n"));
  EXPECT_THAT(errors, testing::HasSubstr("error: missing key 'units.NAME.latency'"));
}

TEST(FileError, SyntaxErrorHasItsPlace) {
  EXPECT_EQ(Sandbox().errors_of("inherits = \"unit\"\nsms = = 3\n").substr(0, 33),
            "gpus/g.toml:2:7: error: not TOML:");
}

TEST(FileError, SyntaxErrorsHaveTheirOwnNextSteps) {
  EXPECT_THAT(Sandbox().errors_of("sms =\n"), testing::HasSubstr("note: write a number, true, false or"));
  EXPECT_THAT(Sandbox().errors_of("sms = 1\nsms = 2\n"),
              testing::HasSubstr("note: leave one of the two out"));
  EXPECT_THAT(Sandbox().errors_of("x = \"abc\n"), testing::HasSubstr("note: end a text with the quote"));
  EXPECT_THAT(Sandbox().errors_of("[l1\n"), testing::HasSubstr("note: write [TABLE] on a line of its own"));
}

TEST(FileError, BinaryFileIsNotToml) {
  const std::string bytes("\x7f\x45\x4c\x46\x02\x00\xff\xfe", 8);
  EXPECT_THAT(Sandbox().errors_of(bytes), testing::HasSubstr("error: not TOML"));
}

// The TOML library frees nested tables by recursion; 100,000 levels would overflow the stack.
TEST(FileError, DeeplyDottedKeyIsRefused) {
  std::string deep = "a";
  for (int level = 0; level < 100000; ++level)
    deep += ".a";
  EXPECT_THAT(Sandbox().errors_of(deep + " = 1\n"),
              testing::HasSubstr("gpus/g.toml:1:34: error: too many dots in one line\n"));
}

TEST(FileError, TextOverSeveralLinesIsRefused) {
  EXPECT_THAT(Sandbox().errors_of("product = \"\"\"\n\"\"\"\n"),
              testing::HasSubstr("gpus/g.toml:1:11: error: texts over several lines have no use here\n"));
}

TEST(FileError, MissingFileSaysSo) {
  const Sandbox sandbox;
  EXPECT_EQ(sandbox.errors((sandbox.write("x", "").parent_path() / "none.toml").string()),
            "none.toml: error: no such file\nnone.toml: note: check the spelling of the path\n");
}

TEST(FileError, UnknownNameGetsASuggestionAndTheList) {
  EXPECT_EQ(Sandbox().errors("titanx"),
            "error: unknown GPU 'titanx'\n"
            "note: did you mean 'titan-x'?\n"
            "note: 'kerncast gpus list' prints the GPUs; a file's name must end in .toml\n");
}

TEST(FileError, NameCannotLeaveTheDatabase) {
  EXPECT_EQ(Sandbox().errors("../gpus/unit"),
            "error: unknown GPU '../gpus/unit'\n"
            "note: 'kerncast gpus list' prints the GPUs; a file's name must end in .toml\n");
}

TEST(FileError, BaseFileIsNoGpu) {
  EXPECT_THAT(Sandbox().errors("ga100"), testing::HasSubstr("error: unknown GPU 'ga100'\n"));
}

TEST(FileError, UnknownArchitectureIsBlamedOnItsStatement) {
  EXPECT_EQ(Sandbox().errors_of("inherits = \"unit\"\narchitecture = \"maxwel\"\n"),
            "gpus/g.toml:2:16: error: no ISA table for architecture 'maxwel'\n"
            "  architecture = \"maxwel\"\n"
            "                 ^~~~~~~~\n"
            "gpus/g.toml:2:16: note: did you mean 'maxwell'?\n");
}

// TOML takes "l2.mib" in quotes for another key than l2.mib.
TEST(FileError, KeyStatedTwiceThroughQuotes) {
  const std::string in_quotes = "inherits = \"unit\"\n\"l2.mib\" = 60\n";
  EXPECT_EQ(Sandbox().errors_of(in_quotes), "it loaded");
  const std::string errors = Sandbox().errors_of(in_quotes + "l2.mib = 100\n");
  for (const char* line : {"gpus/g.toml:3:4: error: l2.mib is stated twice\n  l2.mib = 100\n     ^~~\n",
                           "gpus/g.toml:3:4: note: l2.mib = 60 is stated at gpus/g.toml:2\n",
                           "gpus/g.toml:3:4: note: leave one of the two out\n"})
    EXPECT_THAT(errors, testing::HasSubstr(line));
}

TEST(FileError, ControlCharactersReachNoTerminal) {
  EXPECT_THAT(Sandbox().errors_of("inherits = \"unit\"\nproduct = \"x\\u001b[31m\"\n"),
              testing::HasSubstr("error: product must have no control characters, is 'x\\x1b[31m'\n"));
  EXPECT_THAT(Sandbox().errors_of("inherits = \"unit\"\n\"a\\u0007\" = 1\n"),
              testing::HasSubstr("error: unknown key 'a\\x07'\n"));
}

// Opening it would wait for a writer for ever.
TEST(FileError, PipeIsNoDescription) {
  const Sandbox sandbox;
  const auto pipe = sandbox.write("gpus/x.toml", "");
  std::filesystem::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(sandbox.errors(pipe.string()), "gpus/x.toml: error: a pipe or a device, not a file\n"
                                           "gpus/x.toml: note: write the description into a file\n");
}

} // namespace
} // namespace kerncast::configs::test
