// Which operations a loop may be unrolled around, and what matrices weigh (ptxas 13.0).
#include "tasklist/unrolling.h"

#include <gtest/gtest.h>

namespace kerncast::tasklist {
namespace {

Task task_of(TaskKind kind, Space space = Space::none) {
  Task task;
  task.kind = kind;
  task.space = space;
  return task;
}

TEST(LoopsAroundWholeWarps, AreUnrolledAroundShufflesFromSm90On) {
  const Task shuffle = task_of(TaskKind::warp_sync);
  EXPECT_TRUE(needs_whole_warp(shuffle, "shfl.sync.bfly.b32"));
  EXPECT_FALSE(allows_unrolling(shuffle, "shfl.sync.bfly.b32", 80));
  EXPECT_TRUE(allows_unrolling(shuffle, "shfl.sync.bfly.b32", 90));
  EXPECT_FALSE(allows_unrolling(shuffle, "shfl.sync.bfly.b32", 0));
}

TEST(LoopsAroundWholeWarps, AreUnrolledAroundMatricesEverywhere) {
  const Task product = task_of(TaskKind::compute), load = task_of(TaskKind::load, Space::shared);
  for (const char* operation : {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                                "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"}) {
    EXPECT_TRUE(needs_whole_warp(product, operation));
    EXPECT_TRUE(allows_unrolling(product, operation, 75));
  }
  EXPECT_TRUE(allows_unrolling(load, "ldmatrix.sync.aligned.m8n8.x4.shared.b16", 75));
  EXPECT_FALSE(allows_unrolling(product, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", 90));
  EXPECT_FALSE(allows_unrolling(task_of(TaskKind::fence), "membar.gl", 90));
}

TEST(LoopsAroundWholeWarps, WeighMatricesByWhatTheyBecome) {
  const Task product = task_of(TaskKind::compute), far = task_of(TaskKind::load, Space::global),
             near = task_of(TaskKind::load, Space::shared);
  const auto weighs = [](const Task& task, const char* operation, std::uint32_t target) {
    const MatrixWeight weight = weight_of_matrices(task, operation, target);
    return std::pair{weight.in_part, weight.completely};
  };
  using Weight = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(weighs(product, "mma.sync.aligned.m16n8k16", 80), Weight(2, 1));
  EXPECT_EQ(weighs(product, "mma.sync.aligned.m16n8k16", 90), Weight(1, 1));
  EXPECT_EQ(weighs(product, "wmma.mma.sync.aligned.row.col.m16n16k16", 75), Weight(2, 1));
  EXPECT_EQ(weighs(near, "ldmatrix.sync.aligned.m8n8.x1.shared.b16", 75), Weight(4, 2));
  EXPECT_EQ(weighs(near, "ldmatrix.sync.aligned.m8n8.x1.shared.b16", 90), Weight(2, 1));
  EXPECT_EQ(weighs(near, "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", 80), Weight(16, 8));
  EXPECT_EQ(weighs(far, "wmma.load.a.sync.aligned.row.m16n16k16.global.f16", 80), Weight(10, 10));
  EXPECT_EQ(weighs(product, "fma.rn.f32", 80), Weight(0, 0));
}

} // namespace
} // namespace kerncast::tasklist
