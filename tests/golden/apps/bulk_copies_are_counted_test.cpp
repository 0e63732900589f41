// Bytes of bulk copies are among those that cross to L2.
#include "answers.h"

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

// Of 16 CTAs, each of which loads a tile of 4 KiB and stores it.
Json predicted_tiles(const std::string& arguments, const std::string& grid = "4,4") {
  return first_predicted(KERNCAST_SOURCE_DIR "/tests/data/slice/tensor_tiles.ptx --grid " + grid +
                         " --block 128 " + arguments + " --gpu h100-sxm")
      .at("kernels")
      .at(0);
}

constexpr double tiles = 16 * 4096;
const std::string maps = "--arg tensor:f32:128x128:32x32 --arg tensor:f32:128x128:32x32 --arg f32:2";

TEST(BulkCopies, OfDescribedTensorsAreCounted) {
  const Json kernel = predicted_tiles(maps);
  EXPECT_DOUBLE_EQ(kernel.at("l2_bytes").get<double>(), 2 * tiles);
  EXPECT_FALSE(assumes(kernel, "bulk copy"));
  EXPECT_FALSE(assumes(kernel, "barrier"));
}

// Tiles of 32 x 32 that stick out of tensors of 112 x 112 and 56 x 56 floats, whose rows are whole sectors:
// what the tensor has is loaded and stored, also where each of a few CTAs has an SM of its own.
TEST(BulkCopies, OfTilesThatStickOutAreThoseInTheTensor) {
  const auto of = [](const std::string& extent, const std::string& grid, const std::string& contents) {
    const std::string map = "--arg tensor:f32:" + extent + ":32x32" + contents + " ";
    return predicted_tiles(map + map + "--arg f32:2", grid);
  };
  for (const std::string contents : {"", "=zeros"}) {
    EXPECT_DOUBLE_EQ(of("112x112", "4,4", contents).at("l2_bytes").get<double>(), 2 * 112 * 112 * 4);
    const Json few = of("56x56", "2,2", contents);
    EXPECT_DOUBLE_EQ(few.at("l2_bytes").get<double>(), 2 * 56 * 56 * 4);
    EXPECT_DOUBLE_EQ(few.at("dram_bytes").get<double>(), 56 * 56 * 4);
  }
}

// The load announces its bytes, the store does not.
TEST(BulkCopies, OfTensorsThatAreNotDescribedAreNamed) {
  const Json kernel = predicted_tiles("");
  EXPECT_DOUBLE_EQ(kernel.at("l2_bytes").get<double>(), tiles);
  EXPECT_TRUE(assumes(kernel, "taken as its share, 4096 bytes, of those that an mbarrier expects"));
  EXPECT_TRUE(assumes(kernel, "the tensor map of the bulk copy is not described; its bytes are not counted"));
}

// Contents change nothing: the CTAs are executed, and move the same tiles.
TEST(BulkCopies, OfExecutedLaunchesAreCountedToo) {
  const Json kernel = predicted_tiles(
      "--arg tensor:f32:128x128:32x32=iota:f32 --arg tensor:f32:128x128:32x32=zeros --arg f32:2");
  EXPECT_DOUBLE_EQ(kernel.at("l2_bytes").get<double>(), 2 * tiles);
}

// An answer to a request to cancel a cluster is delivered like a bulk copy: who waits for it goes on.
TEST(BulkCopies, AnswersToRequestsToCancelEndTheWaitForThem) {
  const Json kernel = first_predicted(KERNCAST_SOURCE_DIR "/tests/data/slice/persistent_ctas.ptx --grid 1000 "
                                                          "--block 64 --arg buf:256000 --gpu b200")
                          .at("kernels")
                          .at(0);
  EXPECT_TRUE(assumes(kernel, "no CTA takes over the work of another one"));
  EXPECT_FALSE(assumes(kernel, "let its warps go"));
  EXPECT_FALSE(assumes(kernel, "address"));
}

} // namespace
} // namespace kerncast::test
