// The clock of predictions is chosen or stated; what is stated beside it is not silently without effect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

const std::string clocks = "inherits = \"unit\"\nbase_clock_mhz = 900\nboost_clock_mhz = 1200\n";

TEST(ClockChoice, IsTheNearestStatement) {
  EXPECT_EQ(Sandbox().loaded(clocks + "clock_mhz = 1000\n").clock_mhz, 1000);
  EXPECT_EQ(Sandbox().loaded(clocks + "clock = \"boost\"\n").clock_mhz, 1200);
  EXPECT_EQ(Sandbox().loaded(clocks + "clock = \"boost\"\n", {{"clock", "base"}}).clock_mhz, 900);
  EXPECT_EQ(Sandbox().loaded(clocks + "clock = \"boost\"\n", {{"boost_clock_mhz", "1300"}}).clock_mhz, 1300);
  EXPECT_EQ(Sandbox().loaded(clocks + "clock = \"boost\"\n", {{"clock_mhz", "1100"}}).clock_mhz, 1100);
}

TEST(ClockChoice, OfAClockThatIsNotStatedIsRefused) {
  EXPECT_EQ(Sandbox().errors_of("inherits = \"unit\"\nclock = \"boost\"\n"),
            "gpus/g.toml:2:9: error: clock chooses boost_clock_mhz, which is not stated\n"
            "  clock = \"boost\"\n"
            "          ^~~~~~~\n"
            "gpus/g.toml:2:9: note: state boost_clock_mhz, or state clock_mhz instead of clock\n");
}

TEST(ClockChoice, OfAClockThatIsNotPublishedSaysSo) {
  EXPECT_EQ(
      Sandbox().errors_of("inherits = \"unit\"\nbase_clock_mhz = \"not published\"\n", {{"clock", "base"}}),
      "error: --set: clock chooses base_clock_mhz, which is not published\n"
      "note: base_clock_mhz = not published is stated at gpus/g.toml:2\n"
      "note: state base_clock_mhz, or state clock_mhz instead of clock\n");
}

// The unit GPU states clock_mhz = 1000, which would count for its faster sibling, too.
TEST(ClockChoice, FartherClockMakesNoNearerOneIneffective) {
  EXPECT_EQ(
      Sandbox().errors_of("inherits = \"unit\"\nboost_clock_mhz = 3000\n"),
      "gpus/g.toml:2:19: error: boost_clock_mhz is 3000, but the clock is the farther clock_mhz (1000)\n"
      "  boost_clock_mhz = 3000\n"
      "                    ^~~~\n"
      "gpus/g.toml:2:19: note: clock_mhz = 1000 is stated at configs/gpus/unit.toml:10\n"
      "gpus/g.toml:2:19: note: state clock = \"boost\" or clock_mhz, too\n");
  EXPECT_THAT(Sandbox().errors_of("inherits = \"unit\"\nbase_clock_mhz = 700\n"),
              testing::HasSubstr("base_clock_mhz is 700, but the clock is the farther clock_mhz (1000)"));
  EXPECT_EQ(Sandbox().errors_of("inherits = \"unit\"\nbase_clock_mhz = \"not published\"\n"), "it loaded");
}

TEST(ClockChoice, OfOneFileIsOneClock) {
  EXPECT_EQ(Sandbox().errors_of(clocks + "clock = \"boost\"\nclock_mhz = 1500\n"),
            "gpus/g.toml:5:13: error: clock chooses boost_clock_mhz (1200), but clock_mhz is 1500\n"
            "  clock_mhz = 1500\n"
            "              ^~~~\n"
            "gpus/g.toml:5:13: note: clock = boost is stated at gpus/g.toml:4\n"
            "gpus/g.toml:5:13: note: leave one of the two out\n");
  EXPECT_THAT(Sandbox().errors_of(clocks + "clock_mhz = 1500\nclock = \"base\"\n"),
              testing::HasSubstr("clock_mhz = 1500 is stated at gpus/g.toml:4"));
  EXPECT_THAT(Sandbox().errors_of(clocks + "clock_mhz = 1000\n", {{"clock", "base"}, {"clock_mhz", "1500"}}),
              testing::HasSubstr("error: --set: clock chooses base_clock_mhz (900), but clock_mhz is 1500"));
  EXPECT_EQ(Sandbox().loaded(clocks + "clock_mhz = 1200\nclock = \"boost\"\n").clock_mhz, 1200);
}

// A child of a shipped GPU that states its own boost clock runs at it, unless the parent runs at another.
TEST(ClockChoice, OfShippedGpusFollowsAPublishedClock) {
  for (const std::string& name : list_gpus(ConfigPath({shipped}))) {
    const Gpu gpu = shipped_gpu(name);
    if (gpu.clock == ClockChoice::stated) {
      EXPECT_NE(gpu.clock_mhz, gpu.base_clock_mhz) << name;
      EXPECT_NE(gpu.clock_mhz, gpu.boost_clock_mhz) << name;
    }
  }
  EXPECT_EQ(Sandbox().loaded("inherits = \"h100-sxm\"\nboost_clock_mhz = 3000\n").clock_mhz, 3000);
}

} // namespace
} // namespace kerncast::configs::test
