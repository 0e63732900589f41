// Miss status registers bound what is under way, and with DRAM's latency its bandwidth.
#include <gtest/gtest.h>

#include "misses_under_way.h"

namespace kerncast::engine {
namespace {

configs::Gpu gpu_of(std::uint32_t l1_mshrs, std::uint64_t in_flight_bytes, std::uint32_t l2_mshrs) {
  configs::Gpu gpu;
  gpu.l1.line_bytes = 128;
  gpu.l1.mshrs = l1_mshrs;
  gpu.memory.in_flight_bytes_per_sm = in_flight_bytes;
  gpu.l2.line_bytes = 128;
  gpu.l2.latency = 200;
  gpu.l2.mshrs = l2_mshrs;
  gpu.l2_layout.slices = 10;
  gpu.dram.latency = 520;
  return gpu;
}

TEST(misses_under_way, of_an_sm_are_the_fewer_of_what_limits_them) {
  EXPECT_EQ(in_flight_bytes(gpu_of(16, 4096, 0)), 16 * 128);
  EXPECT_EQ(in_flight_bytes(gpu_of(64, 4096, 0)), 4096);
  EXPECT_EQ(in_flight_bytes(gpu_of(0, 4096, 0)), 4096) << "l1.mshrs is not known";
  EXPECT_EQ(in_flight_bytes(gpu_of(16, 0, 0)), 16 * 128) << "ports do not limit";
  EXPECT_EQ(in_flight_bytes(gpu_of(0, 0, 0)), 0) << "nothing does";
}

// 10 slices x 16 lines x 128 bytes, each under way for 520 - 200 cycles: 64 bytes per cycle.
TEST(misses_under_way, of_slices_bound_the_bandwidth_of_dram) {
  EXPECT_DOUBLE_EQ(dram_bytes_per_clock_of_mshrs(gpu_of(0, 0, 16)), 64);
  EXPECT_EQ(dram_bytes_per_clock_of_mshrs(gpu_of(0, 0, 0)), 0) << "not known, not limited";
}

} // namespace
} // namespace kerncast::engine
