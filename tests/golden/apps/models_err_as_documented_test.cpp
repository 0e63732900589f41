// The factors of docs/models.md: time of a closed form over that of the simulator, for the page's kernels.
#include "answers.h"

#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

using Factors = std::map<std::string, double>; // model -> factor

void expect_factors(const std::string& kernel_and_launch, const Factors& documented) {
  const Ended ended = kerncast("predict " KERNCAST_SOURCE_DIR "/docs/examples/models.ptx --kernel " +
                               kernel_and_launch + " --gpu gtx980 --model all --json -");
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const Json predictions = Json::parse(ended.out);
  Factors found;
  for (const Json& one : predictions)
    found[one.at("model")] = one.at("kernels")[0].at("cycles").get<double>() /
                             predictions[0].at("kernels")[0].at("cycles").get<double>();
  for (const auto& [model, factor] : documented)
    EXPECT_NEAR(found[model], factor, 0.1 * factor) << model;
}

const std::string streams = " --arg buf:67108864 --arg buf:1048576 --regs 16 --arg ";

TEST(ModelsManual, NearTheCusp) {
  expect_factors("cadd --grid 96 --block 128 --arg buf:16777216 --arg buf:65536 --arg i32:64 --regs 16 "
                 "--dynamic-smem 16384",
                 {{"volkov", 0.97},
                  {"volkov-contention", 1},
                  {"roofline", 0.48},
                  {"cuda-guide", 0.56},
                  {"hong-kim", 0.58},
                  {"mwp-cwp", 0.58},
                  {"gpumech-rr", 0.58},
                  {"gpumech-gto", 0.57},
                  {"zhang-owens", 0.54},
                  {"sim2012", 0.58},
                  {"isolated-sum", 1.02},
                  {"baghsorkhi", 2.4},
                  {"wfg", 2.5},
                  {"wfg-corrected", 1.01}});
}

TEST(ModelsManual, LoadsAlone) {
  expect_factors("stream --grid 1024 --block 256" + streams + "i32:64", {{"gpumech-rr", 0.44},
                                                                         {"gpumech-gto", 0.44},
                                                                         {"gpumech-rr-corrected", 0.55},
                                                                         {"gpumech-gto-corrected", 0.44},
                                                                         {"cuda-guide", 0.44},
                                                                         {"baghsorkhi", 17},
                                                                         {"wfg", 17},
                                                                         {"isolated-sum", 1.14}});
}

TEST(ModelsManual, IndependentInstructions) {
  expect_factors("chains --grid 64 --block 32 --arg buf:65536 --arg i32:256 --regs 24 --dynamic-smem 24000",
                 {{"transit", 5}, {"x-model", 1.01}, {"mwp-cwp-corrected", 1.7}});
}

TEST(ModelsManual, KindsOfComputations) {
  expect_factors("mix --grid 512 --block 256 --arg buf:65536 --arg i32:64 --regs 24", {{"roofline", 0.77},
                                                                                       {"gpuperf", 0.77},
                                                                                       {"volkov", 0.89},
                                                                                       {"boat-hull", 1.26},
                                                                                       {"transit", 1.26},
                                                                                       {"x-model", 1.26},
                                                                                       {"wfg", 1.26},
                                                                                       {"baghsorkhi", 1.26},
                                                                                       {"zhang-owens", 1.26},
                                                                                       {"sim2012", 1.26}});
}

TEST(ModelsManual, Phases) {
  expect_factors("phases --grid 64 --block 1024 --arg buf:67108864 --arg buf:1048576 --arg i32:16 --regs 40",
                 {{"roofline", 0.61}, {"volkov", 0.63}, {"gpuperf", 0.62}, {"mwp-cwp", 1}});
}

TEST(ModelsManual, Waves) {
  expect_factors("cadd --grid 80 --block 128" + streams + "i32:64 --dynamic-smem 24000", {{"volkov", 0.62}});
}

} // namespace
} // namespace kerncast::test
