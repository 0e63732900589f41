// A GPU that states another compute capability than its parent has that one's residency limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// Orin is GA10x with 164 KiB of shared memory; its file inherits what it has in common with 8.6.
TEST(CapabilityLimits, ComeFromTheFileOfTheCapability) {
  const Gpu gpu = Sandbox().loaded("inherits = \"rtx3090\"\ncompute_capability.minor = 7\n");
  EXPECT_EQ(gpu.limits.shared_bytes_per_sm, 167936U); // 164 * 1024; the RTX 3090 has 100 * 1024
  EXPECT_EQ(gpu.limits.shared_bytes_per_cta, 166912U);
  EXPECT_EQ(gpu.limits.warps_per_sm, 48U);
  EXPECT_THAT(gpu.origins.at("limits.shared_bytes_per_sm").place, HasSubstr("base/cc-8.7.toml:"));
  EXPECT_THAT(gpu.origins.at("limits.warps_per_sm").place, HasSubstr("base/cc-8.6.toml:"));
}

// Thor has a quarter fewer warps than the B200, whose limits it would not be allowed.
TEST(CapabilityLimits, MayBeSmallerThanTheParents) {
  const Gpu gpu = Sandbox().loaded("inherits = \"b200\"\ncompute_capability.major = 11\n");
  EXPECT_EQ(gpu.limits.warps_per_sm, 48U);
  EXPECT_EQ(gpu.limits.ctas_per_sm, 24U);
  EXPECT_THAT(gpu.origins.at("limits.warps_per_sm").place, HasSubstr("base/cc-11.0.toml:"));
  EXPECT_THAT(gpu.assumptions, Not(Contains(HasSubstr("residency limits"))));
}

TEST(CapabilityLimits, YieldToWhatIsStatedNearer) {
  const std::string orin = "inherits = \"rtx3090\"\ncompute_capability.minor = 7\n";
  const Gpu beside = Sandbox().loaded(orin + "limits.ctas_per_sm = 8\n");
  EXPECT_EQ(beside.limits.ctas_per_sm, 8U);
  EXPECT_EQ(beside.limits.shared_bytes_per_sm, 167936U);
  EXPECT_EQ(Sandbox().loaded(orin, {{"limits.ctas_per_sm", "9"}}).limits.ctas_per_sm, 9U);
}

// Pascal's shared memory is no part of L1: the sizes that Ampere's may have are not inherited.
TEST(CapabilityLimits, OfTheParentsCapabilityAreLeftBehind) {
  const Gpu gpu =
      shipped_gpu("rtx3090", {{"compute_capability.major", "6"}, {"compute_capability.minor", "1"}});
  EXPECT_EQ(gpu.limits.shared_carve_outs_kib, "");
  EXPECT_EQ(gpu.limits.shared_bytes_per_sm, 98304U);
}

TEST(CapabilityLimits, AboveTheCapabilityAreStillRefused) {
  EXPECT_EQ(
      Sandbox().errors_of("inherits = \"b200\"\ncompute_capability.major = 11\nlimits.warps_per_sm = 64\n"
                          "limits.threads_per_sm = 1536\n"),
      "gpus/g.toml:3:23: error: limits.warps_per_sm is 64, more than compute capability 11.0 allows (48)\n"
      "  limits.warps_per_sm = 64\n"
      "                        ^~\n"
      "gpus/g.toml:3:23: note: limits.warps_per_sm = 48 is stated at configs/gpus/base/cc-11.0.toml:8\n"
      "gpus/g.toml:3:23: note: change it with --set, or state the compute capability of a hypothetical "
      "GPU\n");
}

TEST(CapabilityLimits, FollowACapabilityThatIsSet) {
  const Gpu gpu = shipped_gpu("rtx3090", {{"compute_capability.minor", "7"}});
  EXPECT_EQ(gpu.limits.shared_bytes_per_sm, 167936U);
  EXPECT_THAT(gpu.origins.at("limits.shared_bytes_per_sm").place, HasSubstr("base/cc-8.7.toml:"));
}

// What the file stated of the other capability goes with it; what is set beside it stays.
TEST(CapabilityLimits, OfTheFileYieldToACapabilityThatIsSet) {
  const std::string eight = "inherits = \"rtx3090\"\nlimits.ctas_per_sm = 8\n";
  EXPECT_EQ(Sandbox().loaded(eight, {{"compute_capability.minor", "7"}}).limits.ctas_per_sm, 16U);
  EXPECT_EQ(Sandbox()
                .loaded(eight, {{"limits.ctas_per_sm", "9"}, {"compute_capability.minor", "7"}})
                .limits.ctas_per_sm,
            9U);
}

TEST(CapabilityLimits, OfACapabilityHalfSetAreRefused) {
  EXPECT_THAT(Sandbox().errors("rtx4090", {{"compute_capability.minor", "3"}}),
              testing::AllOf(HasSubstr("error: --set: there is no compute capability 8.3 in the database\n"),
                             HasSubstr("note: state compute_capability.major, too\n")));
}

TEST(CapabilityLimits, OfACapabilityThatIsNoNumberAreRefusedOnce) {
  EXPECT_EQ(Sandbox().errors("rtx4090", {{"compute_capability.major", "abc"}}),
            "error: --set: compute_capability.major must be a number, is a text\n"
            "note: compute_capability.major: compute capability before the dot\n");
}

TEST(CapabilityLimits, OfTheSameCapabilityStayTheParents) {
  const Gpu gpu = Sandbox().loaded("inherits = \"unit\"\ncompute_capability.major = 9\n");
  EXPECT_EQ(gpu.limits.shared_bytes_per_sm, 65536U);
  EXPECT_THAT(gpu.origins.at("limits.shared_bytes_per_sm").place, EndsWith("gpus/unit.toml:31"));
}

TEST(CapabilityLimits, OfAnUnknownCapabilityAreInheritedAndSaySo) {
  const Gpu gpu = Sandbox().loaded(
      "inherits = \"rtx3090\"\ncompute_capability.major = 99\ncompute_capability.minor = 0\n");
  EXPECT_EQ(gpu.limits.warps_per_sm, 48U);
  EXPECT_THAT(gpu.assumptions,
              Contains("g: residency limits are as stated: there are none of compute capability 99.0 to "
                       "check them against"));
}

// 12.9 of an RTX 5090 that forgets the minor number of its parent, 8.9.
TEST(CapabilityLimits, OfACapabilityMadeOfTwoFilesAreRefused) {
  EXPECT_EQ(
      Sandbox().errors_of("inherits = \"rtx4090\"\ncompute_capability.major = 12\n"),
      "gpus/g.toml:2:28: error: there is no compute capability 12.9 in the database\n"
      "  compute_capability.major = 12\n"
      "                             ^~\n"
      "gpus/g.toml:2:28: note: compute_capability.minor = 9 is stated at configs/gpus/base/ad10x.toml:8\n"
      "gpus/g.toml:2:28: note: state compute_capability.minor, too\n");
}

} // namespace
} // namespace kerncast::configs::test
