// Blocks of the device's heap.
#include <gtest/gtest.h>

#include "functional/device_heap.h"

namespace kerncast::functional {
namespace {

// 32-bit addresses reach a part of a large heap only. What is refused stays free for others.
TEST(DeviceHeap, GivesNoBlockBeyondItsReach) {
  DeviceHeap heap(4096);
  EXPECT_EQ(heap.allocate(960, 1024), 0U);
  EXPECT_EQ(heap.allocate(65, 1024), std::nullopt);
  EXPECT_EQ(heap.allocate(3072), 960U);
}

TEST(DeviceHeap, GivesABlockThatEndsWithItsReach) {
  DeviceHeap heap(4096);
  EXPECT_EQ(heap.allocate(1024, 1024), 0U);
  EXPECT_EQ(heap.allocate(1025, 1024), std::nullopt);
}

} // namespace
} // namespace kerncast::functional
