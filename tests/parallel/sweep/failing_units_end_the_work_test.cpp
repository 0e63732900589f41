// Whatever fails on a thread of a rank ends its work, though the rank's other threads wait for what it was to
// do or would go on.
#include <gtest/gtest.h>

#include "sweep_of.h"

namespace kerncast::test {
namespace {

TEST(Units, ThatFailEndTheWork) {
  for (const char* const part : {"unit", "delivery"}) {
    const Ended ended = run(std::string(KERNCAST_BINARY_DIR "/tests/failing_unit ") + part);
    EXPECT_EQ(ended.exit_code, 3) << part << ended.err;
    EXPECT_EQ(ended.out, "out of luck\n") << part;
  }
}

// Rank 0 answers all ranks on threads of its own.
TEST(Units, ThatCannotBeGivenEndTheWorkOfAllRanks) {
  const Ended ended = run(on_ranks(2) + " " KERNCAST_BINARY_DIR "/tests/failing_unit question");
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_EQ(ended.out, "out of luck\n") << ended.err;
}

} // namespace
} // namespace kerncast::test
