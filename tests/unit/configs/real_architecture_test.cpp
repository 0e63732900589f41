// A description of a real architecture does not contradict what its compute capability has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(RealArchitecture, HasItsOwnComputeCapabilities) {
  EXPECT_EQ(Sandbox().errors_of(
                "inherits = \"h100-sxm\"\ncompute_capability.major = 3\ncompute_capability.minor = 0\n"
                "l1.kib = 16\n"),
            "gpus/g.toml:2:28: error: architecture is hopper, but compute capability 3.0 is of gk10x\n"
            "  compute_capability.major = 3\n"
            "                             ^\n"
            "gpus/g.toml:2:28: note: compute_capability.minor = 0 is stated at gpus/g.toml:3\n"
            "gpus/g.toml:2:28: note: architecture = hopper is stated at configs/gpus/base/gh100.toml:9\n");
  EXPECT_THAT(Sandbox().errors_of("inherits = \"rtx4090\"\ncompute_capability.major = 12\n"
                                  "compute_capability.minor = 0\n"),
              HasSubstr("architecture is ada-geforce, but compute capability 12.0 is of gb20x"));
  EXPECT_EQ(Sandbox().errors_of("inherits = \"rtx4090\"\narchitecture = \"gb20x\"\n"
                                "compute_capability.major = 12\ncompute_capability.minor = 0\n"),
            "it loaded");
}

TEST(RealArchitecture, OfAStudyMayHaveAnotherCapability) {
  EXPECT_THAT(shipped_gpu("h100-sxm", {{"compute_capability.major", "8"}}).assumptions,
              Contains("h100-sxm: architecture is hopper, but compute capability 8.0 is of ampere"));
}

// 256 KiB an SM: 228 for shared memory, 28 beside it.
TEST(RealArchitecture, HasL1AndSharedMemoryOfOneSize) {
  EXPECT_EQ(Sandbox().errors_of("inherits = \"h100-sxm\"\nl1.kib = 256\n"),
            "gpus/g.toml:2:10: error: l1.kib beside limits.shared_bytes_per_sm are 484 KiB, but an SM of "
            "compute capability 9.0 has 256 KiB for both\n"
            "  l1.kib = 256\n"
            "           ^~~\n"
            "gpus/g.toml:2:10: note: limits.shared_bytes_per_sm = 233472 is stated at "
            "configs/gpus/base/cc-9.0.toml:20\n");
  EXPECT_EQ(Sandbox().errors_of("inherits = \"h100-sxm\"\nl1.kib = 16\n"), "it loaded");
  EXPECT_THAT(shipped_gpu("h100-sxm", {{"l1.kib", "256"}}).assumptions,
              Contains(HasSubstr("l1.kib beside limits.shared_bytes_per_sm are 484 KiB")));
}

TEST(RealArchitecture, RoundsAsItsCapabilityDoes) {
  struct Case {
    const char* key;
    const char* value;
    const char* rule;
  };
  for (const Case& c : {Case{"limits.register_allocation_unit", "1", "256"},
                        Case{"limits.warp_allocation_granularity", "1", "4"},
                        Case{"limits.shared_allocation_unit", "1", "128"},
                        Case{"limits.shared_reserved_bytes_per_cta", "0", "1024"}}) {
    const std::string key = c.key;
    EXPECT_THAT(Sandbox().errors_of("inherits = \"h100-sxm\"\n" + key + " = " + c.value + "\n"),
                HasSubstr("error: " + key + " is " + c.value + ", other than compute capability 9.0 has (" +
                          c.rule + ")"));
    EXPECT_TRUE(Sandbox().load("h100-sxm", {{key, c.value}})) << key;
  }
}

// The unit GPU is no real machine: it rounds nothing.
TEST(RealArchitecture, IsNotTheUnitGpus) {
  EXPECT_EQ(Sandbox().errors_of("inherits = \"unit\"\nlimits.shared_allocation_unit = 2\nl1.kib = 512\n"),
            "it loaded");
}

} // namespace
} // namespace kerncast::configs::test
