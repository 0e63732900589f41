// `inherits` states differences: the nearest statement counts, chains work, circles and bad names do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

TEST(Inherits, NearestStatementOfAChainCounts) {
  const Sandbox sandbox;
  sandbox.write("gpus/far.toml", "inherits = \"unit\"\nsms = 2\nclock_mhz = 2000\nl1.latency = 1\n");
  sandbox.write("gpus/near.toml", "inherits = \"far\"\nsms = 3\n");
  const auto file = sandbox.write("gpus/g.toml", "inherits = \"near\"\nl2.latency = 40\ndram.latency = 50\n");
  const auto gpu = sandbox.load("g");
  ASSERT_TRUE(gpu) << render(gpu.error());
  EXPECT_EQ(gpu->sms, 3U);             // near
  EXPECT_EQ(gpu->clock_mhz, 2000);     // far
  EXPECT_EQ(gpu->l2.latency, 40);      // g
  EXPECT_EQ(gpu->constant_latency, 1); // unit
  EXPECT_EQ(gpu->origins.at("l2.latency").place, file.string() + ":2");
}

TEST(Inherits, SameFolderComesBeforeTheDatabase) {
  const Sandbox sandbox;
  sandbox.write("unit.toml", "inherits = \"unit\"\nsms = 7\n"); // itself inherits the database's unit
  const auto file = sandbox.write("mine.toml", "inherits = \"unit\"\n");
  const auto gpu = sandbox.load(file.string());
  ASSERT_TRUE(gpu) << render(gpu.error());
  EXPECT_EQ(gpu->name, "mine");
  EXPECT_EQ(gpu->sms, 7U);
}

TEST(Inherits, CircleNamesBothPlaces) {
  const Sandbox sandbox;
  sandbox.write("gpus/a.toml", "# a\ninherits = \"b\"\n");
  sandbox.write("gpus/b.toml", "inherits = \"a\"\n");
  EXPECT_THAT(
      sandbox.errors("a"),
      testing::StartsWith("gpus/b.toml:1:12: error: 'a' leads back to a file that inherits from this one\n"
                          "  inherits = \"a\"\n"
                          "             ^~~\n"
                          "gpus/b.toml:1:12: note: the circle begins at gpus/a.toml:2\n"));
}

TEST(Inherits, FileCannotInheritFromItself) {
  const Sandbox sandbox;
  sandbox.write("gpus/a.toml", "inherits = \"a\"\n");
  EXPECT_THAT(sandbox.errors("a"),
              testing::HasSubstr("gpus/a.toml:1:12: note: the circle begins at gpus/a.toml:1\n"));
}

TEST(Inherits, UnknownNameGetsASuggestion) {
  EXPECT_EQ(Sandbox().errors_of("inherits = \"gh10\"\n"),
            "gpus/g.toml:1:12: error: no file 'gh10' to inherit from\n"
            "  inherits = \"gh10\"\n"
            "             ^~~~~~\n"
            "gpus/g.toml:1:12: note: did you mean 'gh100'?\n");
}

TEST(Inherits, NameIsATextAndNoPath) {
  EXPECT_THAT(Sandbox().errors_of("inherits = 3\n"),
              testing::HasSubstr("error: inherits must be a text, is a number\n"));
  EXPECT_EQ(Sandbox().errors_of("inherits = \"../unit\"\n"),
            "gpus/g.toml:1:12: error: inherits: '../unit' is not a name\n"
            "  inherits = \"../unit\"\n"
            "             ^~~~~~~~~\n"
            "gpus/g.toml:1:12: note: state a name without folders and without .toml\n");
}

TEST(Inherits, ErrorsOfTheFileAreReportedBesideAMissingBase) {
  const std::string errors = Sandbox().errors_of("inherits = \"gh10\"\nsms = 0\n");
  EXPECT_THAT(errors, testing::HasSubstr("no file 'gh10' to inherit from"));
  EXPECT_THAT(errors, testing::HasSubstr("sms must be at least 1, is 0"));
}

TEST(Inherits, GuessesAreAssumptionsUntilOverridden) {
  const Sandbox sandbox;
  sandbox.write("gpus/base/b.toml", "inherits = \"unit\"\nl1.latency = 1 # guess: nobody knows\n"
                                    "sms = 3 # guess: counted on a photograph\n");
  sandbox.write("gpus/g.toml", "inherits = \"b\"\nsms = 4 # data sheet\n");
  const auto gpu = sandbox.load("g");
  ASSERT_TRUE(gpu) << render(gpu.error());
  EXPECT_THAT(gpu->assumptions, testing::ElementsAre("g: l1.latency = 1 is a guess: nobody knows"));
}

TEST(Inherits, StandInIsAGuess) {
  const Sandbox sandbox;
  sandbox.write("gpus/g.toml", "inherits = \"unit\" # guess: nobody measured the new one\nsms = 2\n");
  const auto gpu = sandbox.load("g");
  ASSERT_TRUE(gpu);
  EXPECT_THAT(
      gpu->assumptions,
      testing::Contains("g: all that is inherited from unit is a guess: nobody measured the new one"));
}

// All that comes from the stand-in is shown as a guess; what the file and its capability state is not.
TEST(Inherits, StandInMakesEveryInheritedValueAGuess) {
  const Sandbox sandbox;
  sandbox.write("gpus/g.toml", "inherits = \"rtx4090\" # Guess: nobody measured the new one\n"
                               "architecture = \"gb20x\"\n"
                               "compute_capability.major = 12 # specified: guide\n"
                               "compute_capability.minor = 0 # specified: guide\n"
                               "sms = 170 # specified: data sheet\n");
  const auto gpu = sandbox.load("g");
  ASSERT_TRUE(gpu) << render(gpu.error());
  EXPECT_EQ(gpu->origins.at("sms").evidence, Evidence::specified);
  EXPECT_EQ(gpu->origins.at("limits.warps_per_sm").evidence, Evidence::specified); // of 12.0
  EXPECT_EQ(gpu->origins.at("l2.mib").evidence, Evidence::guess);
  EXPECT_EQ(gpu->origins.at("l2.mib").source, "rtx4090 stands in: data sheet");
  EXPECT_EQ(gpu->origins.at("clock_mhz").evidence, Evidence::guess);
}

TEST(Inherits, GpusAreSuggestedBeforeWhatIsNone) {
  EXPECT_THAT(Sandbox().errors_of("inherits = \"h100\"\n"),
              testing::HasSubstr("note: did you mean 'h100-pcie' or 'h100-sxm'?\n"));
  EXPECT_THAT(Sandbox().errors("h100"),
              testing::HasSubstr("note: did you mean 'h100-pcie' or 'h100-sxm'?\n"));
}

} // namespace
} // namespace kerncast::configs::test
