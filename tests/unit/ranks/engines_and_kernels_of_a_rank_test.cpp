// Within each GPU of a cluster, copies and kernels share it as they do in an application of one GPU.
#include <gtest/gtest.h>

#include "small_cluster.h"

namespace kerncast::ranks {
namespace {

using namespace test;
using timeline::CopyEvent;
using timeline::CopyKind;
using timeline::KernelShare;

// Both ranks copy 4000 bytes to the GPU and from it: 1 us and 4 us each.
TEST(CopyEngines, OfARankServeOneOrBothDirections) {
  const Event in = CopyEvent{CopyKind::h2d, 4000, 0};
  const Event out = CopyEvent{CopyKind::d2h, 4000, 1};
  const RankProgram copies = program({{in, out}, {in, out}});
  configs::Gpu one_engine = gpu();
  one_engine.copy_engines = 1;
  EXPECT_EQ(end_us(run(copies, cluster(1, 2))), 5);
  const RanksResult in_turn = simulate_ranks({copies, kernel_times_us, one_engine, cluster(1, 2)});
  EXPECT_EQ(in_turn.ranks[0].statistics.end_us, 10);
  EXPECT_EQ(in_turn.ranks[1].statistics.copy_us, 10);
}

// A kernel of 10 us beside a copy of 5 us, and such a copy behind it.
TEST(Gpus, OfARankAreBusyWhileAKernelOrACopyRuns) {
  const Event copy = CopyEvent{CopyKind::h2d, 4000, 1};
  const Event behind = CopyEvent{CopyKind::h2d, 4000, 0};
  const RanksResult result = run(program({{KernelEvent{0, 0, 1}, copy, behind}}), cluster(1, 1));
  const RankStatistics& rank = result.ranks[0].statistics;
  EXPECT_EQ(rank.compute_us, 10);
  EXPECT_EQ(rank.copy_us, 10);
  EXPECT_EQ(rank.busy_us, 15);
}

// Kernels of 10 and 4 us begin together and are 1.5 times slower: the shorter one ends at 6, has 4 us of the
// longer one's 10 done, and that one ends at 12. One after the other: 14.
TEST(KernelsOfARank, ShareTheGpuWhereTheyFit) {
  const RankProgram kernels = program({{KernelEvent{0, 0, 1}, KernelEvent{1, 1, 1}}});
  const std::vector<KernelShare> shares(2, KernelShare{0.5, 1, 0.2, 0.75});
  configs::Gpu sharing = gpu();
  sharing.resident_grids = 2;
  const configs::Cluster one = cluster(1, 1);
  EXPECT_EQ(end_us(simulate_ranks({kernels, kernel_times_us, sharing, one, 0, shares})), 12);
  EXPECT_EQ(end_us(simulate_ranks({kernels, kernel_times_us, gpu(), one, 0, shares})), 14);
}

// 1.3 times slower: ends would lie between picoseconds.
TEST(KernelsOfARank, EndAtWholePicoseconds) {
  const RankProgram kernels = program({{KernelEvent{0, 0, 1}, KernelEvent{1, 1, 1}, KernelEvent{1, 2, 1}}});
  const std::vector<KernelShare> shares(2, KernelShare{0.3, 1, 0.2, 1.3 / 3});
  configs::Gpu sharing = gpu();
  sharing.resident_grids = 3;
  const RanksResult result = simulate_ranks({kernels, {10, 4.000001}, sharing, cluster(1, 1), 100, shares});
  // Until 1.3 * 4.000001 all three, then the first alone for what is left of it; rounded up each time.
  EXPECT_NEAR(end_us(result), 1.3 * 4.000001 + 10 - 4.000001, 3e-6);
  EXPECT_GE(end_us(result), 1.3 * 4.000001 + 10 - 4.000001 - 1e-9);
}

// A 0..10 triggers at 4: B's prologue 4..6, its other 2 us behind A.
TEST(KernelsOfARank, StartBeforeTheEndOfTheOneBeforeWhereTheyAreProgrammatic) {
  const RankProgram kernels = program({{KernelEvent{0, 3, 1}, KernelEvent{1, 3, 1, 0, true}}});
  const std::vector<KernelShare> shares(2, KernelShare{0.5, 1, 0.2, 0.1});
  const std::vector<timeline::KernelParts> parts = {{0.4, 0}, {1, 0.5}};
  configs::Gpu sharing = gpu();
  sharing.resident_grids = 2;
  const configs::Cluster one = cluster(1, 1);
  const RanksResult result = simulate_ranks({kernels, kernel_times_us, sharing, one, 100, shares, parts});
  EXPECT_NEAR(end_us(result), 12, 3e-6);
  EXPECT_EQ(end_us(simulate_ranks({kernels, kernel_times_us, sharing, one, 100, shares})), 14);
  const std::vector<RankSpan>& spans = result.ranks[0].spans;
  ASSERT_EQ(spans.size(), 3U);
  for (const RankSpan& span : spans)
    EXPECT_EQ(span.stream, 3U);
  EXPECT_EQ(spans[0].branch, 1U); // the prologue
  EXPECT_EQ(spans[1].branch, 0U);
  EXPECT_EQ(spans[2].branch, 0U);
}

} // namespace
} // namespace kerncast::ranks
