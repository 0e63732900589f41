// Claim: predictions of the workloads are, byte for byte, those in expected/. A change of the model changes
// these files too: `regenerate` writes them anew, and the difference shows what the change does.
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "program_output.h"

namespace kerncast {
namespace {

const std::string expected_folder = KERNCAST_SOURCE_DIR "/tests/golden/workloads/expected/";

std::string recorded(const std::string& file) {
  std::ifstream stream(expected_folder + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string prediction_of(const std::string& workload) {
  return "predict apps/workloads/" + workload + "/app.json --gpu titan-x --gpu k40m";
}

TEST(RecordedPrediction, of_hotspot) {
  EXPECT_EQ(output_of(prediction_of("rodinia/hotspot")), recorded("hotspot.txt"));
  EXPECT_EQ(output_of(prediction_of("rodinia/hotspot") + " --json -"), recorded("hotspot.json"));
}

TEST(RecordedPrediction, of_pathfinder) {
  EXPECT_EQ(output_of(prediction_of("rodinia/pathfinder")), recorded("pathfinder.txt"));
}

// The quickest ones on five generations.
TEST(RecordedPrediction, of_others_on_five_gpus) {
  for (const std::string app : {"backprop", "nn"})
    EXPECT_EQ(output_of("predict apps/workloads/rodinia/" + app +
                        "/app.json --gpu titan-x --gpu k40m --gpu v100-sxm2-16gb --gpu a100-sxm4-40gb "
                        "--gpu h100-sxm"),
              recorded(app + ".txt"));
}

// Executed up to its last launch, as each depends on what earlier ones computed.
TEST(RecordedPrediction, of_mri_gridding) {
  EXPECT_EQ(output_of("predict apps/workloads/parboil/mri-gridding/app.json --gpu titan-x"),
            recorded("mri-gridding.txt"));
}

// 2,046 different launches: one GPU will do.
TEST(RecordedPrediction, of_gaussian) {
  EXPECT_EQ(output_of("predict apps/workloads/rodinia/gaussian/app.json --gpu titan-x"),
            recorded("gaussian.txt"));
}

TEST(RecordedPrediction, of_sgemm) {
  EXPECT_EQ(output_of(prediction_of("parboil/sgemm")), recorded("sgemm.txt"));
}

} // namespace
} // namespace kerncast
