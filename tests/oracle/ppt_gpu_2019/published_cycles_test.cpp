// Claim: for every recorded input the model gives the published tool's answers, to the last bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "ppt_gpu_2019/model.h"
#include "ppt_gpu_2019/reader.h"
#include "support/files.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

std::vector<std::string> recorded_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(KERNCAST_SOURCE_DIR "/tests/data/ppt_lanl"))
    if (entry.path().extension() == ".json")
      names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

Expected<LanlFile> read(const std::string& name) {
  return read_source(std::string(KERNCAST_SOURCE_DIR "/tests/data/ppt_lanl/") + name + ".json")
      .and_then(read_lanl_file);
}

TEST(PublishedCycles, all_36_recorded_files_are_here) { EXPECT_EQ(recorded_files().size(), 36U); }

class PublishedCycles : public testing::TestWithParam<std::string> {};

TEST_P(PublishedCycles, are_given_exactly) {
  const Expected<LanlFile> file = read(GetParam());
  ASSERT_TRUE(file) << render(file.error());
  ASSERT_TRUE(file->recording);
  const Recording& recorded = *file->recording;
  const Expected<Result> result = predict(file->input);
  ASSERT_TRUE(result) << render(result.error());

  EXPECT_EQ(result->blocks_per_sm, recorded.blocks_per_sm);
  EXPECT_EQ(result->warps_per_block, recorded.warps_per_block);
  EXPECT_EQ(result->amat, recorded.amat);
  EXPECT_EQ(result->cycles, recorded.cycles);
  EXPECT_EQ(result->block_end_computations, recorded.block_end_computations);
  EXPECT_EQ(result->block_actual_end, recorded.block_actual_end);
  EXPECT_EQ(result->warp_instructions, recorded.warp_instructions);
  EXPECT_EQ(result->warp_issue_events, recorded.warp_issue_events);
  EXPECT_EQ(result->n_workloads, recorded.n_workloads);
}

std::string plain_name(const testing::TestParamInfo<std::string>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Recorded, PublishedCycles, testing::ValuesIn(recorded_files()), plain_name);

// hotspot on the tool's K40m: 925 workloads on 15 SMs are 62 waves of 4887 cycles at 745 MHz, and 3.5 us
// overhead: 62 x 4887 / 745e6 s + 3.5e-6 s.
TEST(PublishedCycles, total_time_is_waves_times_cycles_over_the_clock) {
  const Expected<LanlFile> file = read("hotspot_K40m");
  ASSERT_TRUE(file) << render(file.error());
  const Expected<Result> result = predict(file->input);
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_EQ(result->waves, 62U);
  EXPECT_DOUBLE_EQ(result->kernel_time_s, 62 * 4887 / 745e6);
  EXPECT_DOUBLE_EQ(result->total_time_s, 62 * 4887 / 745e6 + 3.5e-6);
}

} // namespace
} // namespace kerncast::ppt_gpu_2019
