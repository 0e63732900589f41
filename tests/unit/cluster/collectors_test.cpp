// Every rank's results reach rank 0 in two steps at most, and nobody hears many others.
#include <gtest/gtest.h>

#include "cluster/collectors.h"

namespace kerncast::cluster {
namespace {

// Groups of three: 0 1 2, 3 4 5, 6 7.
TEST(collectors, are_the_first_of_their_groups) {
  EXPECT_EQ(group_size(8), 3);
  const int expected[] = {0, 0, 0, 0, 3, 3, 0, 6};
  for (int rank = 0; rank < 8; ++rank)
    EXPECT_EQ(collector_of(rank, 8), expected[rank]) << rank;
  EXPECT_EQ(senders_to(0, 8), 4); // 1 2, 3 6
  EXPECT_EQ(senders_to(3, 8), 2);
  EXPECT_EQ(senders_to(6, 8), 1);
  EXPECT_EQ(senders_to(7, 8), 0);
}

TEST(collectors, hear_whoever_sends_to_them) {
  for (const int ranks : {1, 2, 3, 4, 5, 9, 10, 64, 100, 1024, 4095}) {
    std::vector<int> senders(static_cast<std::size_t>(ranks), 0);
    for (int rank = 1; rank < ranks; ++rank) {
      const int collector = collector_of(rank, ranks);
      EXPECT_TRUE(collector == 0 || collector_of(collector, ranks) == 0) << rank << " of " << ranks;
      ++senders[static_cast<std::size_t>(collector)];
    }
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(senders_to(rank, ranks), senders[static_cast<std::size_t>(rank)]) << rank << " of " << ranks;
    EXPECT_LE(senders[0], 2 * group_size(ranks));
  }
}

} // namespace
} // namespace kerncast::cluster
