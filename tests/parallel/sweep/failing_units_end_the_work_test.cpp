// A unit that fails ends the work of its rank, though the rank's other threads wait for what it was to find.
#include <gtest/gtest.h>

#include "sweep_of.h"

namespace kerncast::test {
namespace {

TEST(Units, ThatFailEndTheWork) {
  const Ended ended = run(KERNCAST_BINARY_DIR "/tests/failing_unit");
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_EQ(ended.out, "out of luck\n");
}

} // namespace
} // namespace kerncast::test
