// Each value of a description says what it rests on, and a key without effect says so when it is set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

TEST(Evidence, IsWhatTheCommentBeginsWith) {
  const Gpu gpu = unit_gpu_with("sms = 2 # specified: data sheet\n"
                                "cta_launch_latency = 5 # measured: 001 sec. 3.7\n"
                                "l1.latency = 9 #   guess:  as L1 elsewhere  \n"
                                "l2.latency = 99 # somebody's blog\n"
                                "dram.latency = 400\n");
  const auto origin = [&](const char* key) { return gpu.origins.at(key); };
  EXPECT_EQ(origin("sms").evidence, Evidence::specified);
  EXPECT_EQ(origin("sms").source, "data sheet");
  EXPECT_EQ(origin("cta_launch_latency").evidence, Evidence::measured);
  EXPECT_EQ(origin("l1.latency").evidence, Evidence::guess);
  EXPECT_EQ(origin("l1.latency").source, "as L1 elsewhere");
  EXPECT_EQ(origin("l2.latency").evidence, Evidence::stated);
  EXPECT_EQ(origin("l2.latency").source, "somebody's blog");
  EXPECT_EQ(origin("dram.latency").source, "");
}

TEST(Evidence, MarksAreReadWhateverTheirCase) {
  const Gpu gpu = unit_gpu_with("l1.latency = 1 # Guess: nobody knows\nsms = 2 # SPECIFIED: data sheet\n");
  EXPECT_EQ(gpu.origins.at("l1.latency").evidence, Evidence::guess);
  EXPECT_EQ(gpu.origins.at("l1.latency").source, "nobody knows");
  EXPECT_EQ(gpu.origins.at("sms").evidence, Evidence::specified);
}

// Only a guess is an assumption of every prediction with the GPU.
TEST(Evidence, OfAGuessBecomesAnAssumption) {
  const Gpu gpu = unit_gpu_with("sms = 2 # specified: data sheet\ndram.latency = 9 # guess: as elsewhere\n");
  EXPECT_THAT(gpu.assumptions, testing::Contains("g: dram.latency = 9 is a guess: as elsewhere"));
  EXPECT_THAT(gpu.assumptions, testing::Not(testing::Contains(testing::HasSubstr("sms"))));
}

TEST(Evidence, OfASettingIsTheSetting) {
  const Gpu gpu = shipped_gpu("titan-x", {{"l1.latency", "90"}});
  EXPECT_EQ(gpu.origins.at("l1.latency").place, "--set");
  EXPECT_EQ(gpu.origins.at("l1.latency").evidence, Evidence::stated);
}

TEST(Evidence, AUnitThatNoOperationUsesIsAnAssumption) {
  const Gpu gpu = unit_gpu_with("units.fp23.scope = \"sub-core\"\nunits.fp23.latency = 4\n"
                                "units.fp23.issue_interval = 2\n");
  EXPECT_THAT(gpu.assumptions,
              testing::Contains("g: unit fp23 does nothing: no row of the ISA table unit names it"));
}

} // namespace
} // namespace kerncast::configs::test
