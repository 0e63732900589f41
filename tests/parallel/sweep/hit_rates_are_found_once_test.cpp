// On any number of ranks the hit rates of a group of rows are found by one of them, and rows are the same,
// whether rank 0 computes or only serves.
#include <gtest/gtest.h>

#include "sweep_of.h"

namespace kerncast::test {
namespace {

struct Counted {
  std::string said;
  std::string rows; // as CSV
};

Counted counted_sweep(int ranks, const std::string& root_serves_from = "") {
  const Folder folder;
  const std::string csv = folder.path("r.csv");
  const Ended ended = run(
      on_ranks(ranks) + " " KERNCAST_BINARY_DIR "/tests/counted_sweep " +
      sweep_of(folder, many, "titan-x", "grid", data("../../../apps/workloads/basic/vector_add/app.json")) +
      " " + folder.path("r.sqlite") + " " + csv + " " + root_serves_from);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return {ended.out, read(csv)};
}

// Four sizes of L2, 44 rows each: one rank finds the rates of two sizes at a time, of more ranks none waits
// for several.
TEST(HitRates, AreFoundOnceByAllRanksTogether) {
  const Counted alone = counted_sweep(1);
  EXPECT_EQ(alone.said, "found 2 untold 0 root 1\n");
  for (const int ranks : {2, 3}) {
    const Counted together = counted_sweep(ranks);
    EXPECT_EQ(together.said, "found 4 untold 0 root 1\n") << ranks << " ranks";
    EXPECT_EQ(together.rows, alone.rows) << ranks << " ranks";
  }
}

TEST(HitRates, AreFoundByOthersWhereRank0OnlyServes) {
  const Counted served = counted_sweep(3, "3");
  EXPECT_EQ(served.said, "found 4 untold 0 root 0\n");
  EXPECT_EQ(served.rows, counted_sweep(1).rows);
}

} // namespace
} // namespace kerncast::test
