// Wrong usage: one line with `error:` on standard error, exit code 2, nothing on standard output.
#include "program.h"

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

class WrongUsage : public testing::TestWithParam<const char*> {};

TEST_P(WrongUsage, EndsWithTwo) {
  const Ended ended = kerncast(GetParam());
  EXPECT_EQ(ended.exit_code, 2) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(ended.err.starts_with("error: ")) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    Commands, WrongUsage,
    testing::Values("", "predicts", "--colour", "check", "predict", "predict --gpu unit",
                    "predict a.ptx --grid", "predict a.ptx --gpu unit --grid abc --block 32",
                    "predict a.ptx --gpu unit --grid 1,2,3,4",
                    "predict a.ptx --gpu unit --grid 1, --block 32", "predict a.ptx --gpu unit --grid 4",
                    "predict a.ptx --gpu unit --l1-hit high", "predict a.ptx b.ptx --gpu unit",
                    "predict a.ptx --gpu unit --threads two", "predict a.ptx --gpu unit --exact=maybe",
                    "occupancy --gpu unit", "occupancy --gpu unit --block 32", "tasklist", "gpus show",
                    "gpus steal", "tasklist a.ptx --format xml", "tasklist a.ptx --set clock_mhz=1",
                    "predict a.ptx --gpu unit --set sms", "validate", "validate curve a.csv",
                    "validate curves", "validate curves a.csv --require mape",
                    "validate curves a.csv --require 'mapes<=1'",
                    "predict a.ptx --gpu unit --model pipelin"));

TEST(WrongUsage, AMisspeltCommandGetsASuggestion) {
  EXPECT_EQ(kerncast("predct x").err, "error: unknown command 'predct'\nnote: did you mean 'predict'?\n");
}

TEST(WrongUsage, AMisspeltModelGetsASuggestion) {
  EXPECT_NE(kerncast("predict x --model pipelin").err.find("did you mean 'pipeline'?"), std::string::npos);
}

TEST(Usage, HelpAndVersionGoToStandardOutput) {
  for (const char* question : {"--help", "predict --help", "gpus show --help"}) {
    const Ended ended = kerncast(question);
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, "");
    EXPECT_NE(ended.out.find("--help"), std::string::npos) << question;
  }
  EXPECT_TRUE(kerncast("--version").out.starts_with("kerncast "));
}

} // namespace
} // namespace kerncast::test
