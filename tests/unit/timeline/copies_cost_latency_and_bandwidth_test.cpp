#include "../../timeline_gpu.h"

#include <gtest/gtest.h>

namespace kerncast::timeline {
namespace {

TEST(CopyTime, HostCopiesPayTheLinksLatencyAndBandwidth) {
  // 1 us + 3000 bytes / (1000 bytes per us)
  EXPECT_DOUBLE_EQ(copy_time_us({CopyKind::h2d, 3000, 0}, test::gpu()), 4);
  EXPECT_DOUBLE_EQ(copy_time_us({CopyKind::d2h, 3000, 0}, test::gpu()), 4);
}

TEST(CopyTime, ACopyOfNothingStillPaysTheLatency) {
  EXPECT_DOUBLE_EQ(copy_time_us({CopyKind::h2d, 0, 0}, test::gpu()), 1);
}

TEST(CopyTime, DeviceCopiesReadAndWriteAtSustainedDramBandwidth) {
  // 2 * 6000 bytes / (8 GB/s * 0.5 = 4000 bytes per us)
  EXPECT_DOUBLE_EQ(copy_time_us({CopyKind::d2d, 6000, 0}, test::gpu()), 3);
}

TEST(CopyTime, AMemsetOnlyWrites) {
  // 6000 bytes / (4000 bytes per us)
  EXPECT_DOUBLE_EQ(copy_time_us({CopyKind::memset, 6000, 0}, test::gpu()), 1.5);
}

} // namespace
} // namespace kerncast::timeline
