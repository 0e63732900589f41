// The first GPU file of docs/adding-a-gpu.md loads as it is printed there, and so do the others.
#include <sstream>

#include <gtest/gtest.h>

#include "configs/unchecked.h"
#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

// The contents of the n-th ```toml block.
std::string example(std::size_t n) {
  std::ifstream in(std::filesystem::path(KERNCAST_SOURCE_DIR) / "docs/adding-a-gpu.md");
  std::ostringstream all;
  all << in.rdbuf();
  const std::string text = all.str();
  constexpr std::string_view fence = "```toml\n";
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= n; ++i)
    begin = text.find(fence, begin) + fence.size();
  return text.substr(begin, text.find("```", begin) - begin);
}

TEST(ManualExample, TheGpuOfTheDataSheetLoads) {
  const Sandbox sandbox;
  sandbox.write("gpus/rtx5090.toml", example(0));
  const auto gpu = sandbox.load("rtx5090");
  ASSERT_TRUE(gpu) << render(gpu.error());
  EXPECT_EQ(gpu->sms, 170U);
  EXPECT_EQ(gpu->clock_mhz, 2407);
  EXPECT_EQ(gpu->architecture, "gb20x");
  EXPECT_EQ(gpu->host_link.bandwidth_gbps, 48);
  EXPECT_EQ(not_checked(*gpu).size(), 1U); // units without lanes
}

TEST(ManualExample, TheHypotheticalGpuLoads) {
  const Sandbox sandbox;
  sandbox.write("gpus/g.toml", example(1));
  const auto gpu = sandbox.load("g");
  ASSERT_TRUE(gpu) << render(gpu.error());
  EXPECT_EQ(gpu->sms, 160U);
}

TEST(ManualExample, TheGpuOfWhichLittleIsKnownLoads) {
  const Sandbox sandbox;
  sandbox.write("gpus/g.toml", example(2));
  const auto gpu = sandbox.load("g");
  ASSERT_TRUE(gpu) << render(gpu.error());
  EXPECT_EQ(gpu->nvlink.links, 0U);
  EXPECT_EQ(gpu->dram.bus_width_bits, 0U);
}

} // namespace
} // namespace kerncast::configs::test
