// How far a value may lie from the machine's is what its comment says, or what its kind of evidence is good
// for.
#include <gtest/gtest.h>

#include "configs/standard_error.h"
#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

TEST(StandardError, FollowsFromTheKindOfEvidence) {
  const Gpu gpu = unit_gpu_with("sms = 2 # specified: data sheet\n"
                                "cta_launch_latency = 5 # measured: 001 sec. 3.7\n"
                                "l1.latency = 9 # guess: as L1 elsewhere\n"
                                "l2.latency = 99 # somebody's blog\n"
                                "dram.latency = 400\n");
  EXPECT_EQ(standard_error(gpu, "sms"), 0);
  EXPECT_EQ(standard_error(gpu, "cta_launch_latency"), error_of_measurements);
  EXPECT_EQ(standard_error(gpu, "l1.latency"), error_of_guesses);
  EXPECT_EQ(standard_error(gpu, "l2.latency"), 0);
  EXPECT_EQ(standard_error(gpu, "no.such.key"), 0);
}

TEST(StandardError, IsWhatTheCommentStates) {
  const Gpu gpu = unit_gpu_with("cta_launch_latency = 5 # guess +-33 %: the middle of 4 and 6\n"
                                "l1.latency = 9 #measured  +- 2.5%:  by pointer chase\n"
                                "l2.latency = 99 # specified +-0 %: exact\n"
                                "dram.latency = 400\n");
  EXPECT_DOUBLE_EQ(standard_error(gpu, "cta_launch_latency"), 0.33);
  EXPECT_EQ(gpu.origins.at("cta_launch_latency").source, "the middle of 4 and 6");
  EXPECT_EQ(gpu.origins.at("cta_launch_latency").evidence, Evidence::guess);
  EXPECT_DOUBLE_EQ(standard_error(gpu, "l1.latency"), 0.025);
  EXPECT_EQ(gpu.origins.at("l1.latency").source, "by pointer chase");
  EXPECT_EQ(standard_error(gpu, "l2.latency"), 0);
}

// An error that cannot be read is none; the guess stays a guess.
TEST(StandardError, ThatCannotBeReadIsThatOfTheEvidence) {
  for (const char* mark : {"guess 33 %", "guess +-100 %", "guess +--5 %", "guess +-5", "guess +/-33 %"}) {
    const Gpu gpu = unit_gpu_with(std::string("dram.latency = 9 # ") + mark + ": as elsewhere\n");
    EXPECT_EQ(gpu.origins.at("dram.latency").evidence, Evidence::guess) << mark;
    EXPECT_EQ(gpu.origins.at("dram.latency").source, "as elsewhere");
    EXPECT_EQ(standard_error(gpu, "dram.latency"), error_of_guesses);
  }
  const Gpu gpu = unit_gpu_with("dram.latency = 9 # guesses of others: many\n");
  EXPECT_EQ(gpu.origins.at("dram.latency").evidence, Evidence::stated);
}

TEST(StandardError, OfASettingIsNone) {
  EXPECT_GT(standard_error(shipped_gpu("titan-x"), "l1.latency"), 0);
  EXPECT_EQ(standard_error(shipped_gpu("titan-x", {{"l1.latency", "90"}}), "l1.latency"), 0);
}

// What one GPU measured is a guess of the GPU that it stands in for.
TEST(StandardError, OfAStandInIsThatOfAGuess) {
  Sandbox sandbox;
  sandbox.write("gpus/base/b.toml",
                "inherits = \"unit\"\ndram.latency = 9 # measured +-1 %: by pointer chase\n");
  sandbox.write("gpus/g.toml", "inherits = \"b\" # guess: a sister\nsms = 2\n");
  const auto gpu = sandbox.load("g");
  ASSERT_TRUE(gpu) << render(gpu.error());
  EXPECT_EQ(standard_error(*gpu, "dram.latency"), error_of_guesses);
}

} // namespace
} // namespace kerncast::configs::test
