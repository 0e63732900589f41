// What the probe writes is a GPU file that the loader takes, with sources and errors.
#include "probe/gpu_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "configs/loader.h"

namespace kerncast::probe {
namespace {

MeasuredGpu some_gpu() {
  return {.product = "A \"new\" GPU",
          .inherits = "h100-sxm",
          .why = "not measured",
          .queried = {{"sms", "100"}},
          .measured = {{"clock_mhz", {1755, 1750, 1760, 25}, "a counter"},
                       {"l2.latency", {260, 255, 265, 25}, "a walk"},
                       {"units.fp32.latency", {4.02, 4.01, 4.03, 25}, "a chain"},
                       {"units.sfu.issue_interval", {8.01, 8, 8.02, 25}, "full SMs"},
                       {"dram.sustained_fraction", {0.93, 0.92, 0.94, 25}, "a stream"},
                       {"dram.mixed_loss", {0, 0, 0, 25}, "a copy"}}};
}

configs::Gpu loaded(const MeasuredGpu& gpu) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "measured.toml";
  std::ofstream(file) << gpu_file(gpu);
  const auto read = configs::load_gpu(file.string(), std::vector<configs::Setting>{},
                                      configs::ConfigPath({KERNCAST_SOURCE_DIR "/configs"}));
  EXPECT_TRUE(read) << (read ? "" : render(read.error()));
  return read ? *read : configs::Gpu{};
}

TEST(gpu_file, is_taken_by_the_loader) {
  const configs::Gpu gpu = loaded(some_gpu());
  EXPECT_EQ(gpu.product, "A \"new\" GPU");
  EXPECT_EQ(gpu.sms, 100U);
  EXPECT_EQ(gpu.clock_mhz, 1755);
  EXPECT_EQ(gpu.l2.latency, 260);
  EXPECT_EQ(gpu.dram.sustained_fraction, 0.93);
}

// 10 cycles between bounds that are 3.92 standard errors apart, of 260.
TEST(gpu_file, states_sources_and_errors) {
  const configs::Gpu gpu = loaded(some_gpu());
  const configs::ValueOrigin& origin = gpu.origins.at("l2.latency");
  EXPECT_EQ(origin.evidence, configs::Evidence::measured);
  EXPECT_NEAR(origin.error.value_or(0), 10 / 3.92 / 260, 2e-4);
  EXPECT_NE(origin.source.find("median of 25, 95 % between 255 and 265"), std::string::npos) << origin.source;
  EXPECT_EQ(gpu.origins.at("sms").evidence, configs::Evidence::specified);
}

TEST(gpu_file, inherits_a_gpu_of_the_database_for_every_capability_it_knows) {
  for (const auto& [major, minor] : {std::pair{7, 0}, {7, 5}, {8, 0}, {8, 6}, {8, 9}, {9, 0}, {10, 0}}) {
    const auto base = configs::load_gpu(base_of(major, minor), std::vector<configs::Setting>{},
                                        configs::ConfigPath({KERNCAST_SOURCE_DIR "/configs"}));
    ASSERT_TRUE(base) << major << "." << minor;
    EXPECT_EQ(base->compute_capability_major, static_cast<std::uint32_t>(major));
    EXPECT_EQ(base->compute_capability_minor, static_cast<std::uint32_t>(minor));
  }
  EXPECT_EQ(base_of(6, 0), "");
}

} // namespace
} // namespace kerncast::probe
