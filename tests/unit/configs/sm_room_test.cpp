// What fits on an SM that CTAs of several kernels share.
#include <gtest/gtest.h>

#include "configs/sm_room.h"

namespace kerncast::configs {
namespace {

// A partition has 16,384 registers, as on all GPUs from Maxwell on.
Gpu gpu_with_four_partitions() {
  Gpu gpu;
  gpu.sms = 1;
  gpu.limits = {.ctas_per_sm = 32,
                .warps_per_sm = 64,
                .threads_per_sm = 2048,
                .threads_per_cta = 1024,
                .registers_per_sm = 65536,
                .registers_per_cta = 65536,
                .registers_per_thread = 255,
                .register_allocation_unit = 256,
                .warp_allocation_granularity = 4,
                .shared_bytes_per_sm = 102400,
                .shared_bytes_per_cta = 101376,
                .shared_allocation_unit = 128,
                .shared_reserved_bytes_per_cta = 1024};
  return gpu;
}

// On an empty SM as many as the calculator says, taken one by one; afterwards it is empty again.
void expect_as_many(const CtaResources& resources, const Gpu& gpu, std::uint32_t ctas) {
  const CtaDemand cta = demand_of(resources, gpu);
  SmRoom room(gpu.limits);
  EXPECT_EQ(room.ctas_that_fit(cta), ctas);
  std::vector<SmRoom::WarpsByPartition> taken;
  while (room.ctas_that_fit(cta) > 0)
    taken.push_back(room.take(cta));
  EXPECT_EQ(taken.size(), ctas) << resources.threads_per_cta << " threads, " << resources.registers_per_thread
                                << " registers";
  for (const SmRoom::WarpsByPartition& warps : taken)
    room.give_back(cta, warps);
  EXPECT_EQ(room.ctas_that_fit(cta), ctas);
}

TEST(sm_room, holds_as_many_ctas_of_one_kernel_as_occupancy_says) {
  const Gpu gpu = gpu_with_four_partitions();
  int limited_by_registers = 0;
  for (std::uint32_t threads = 32; threads <= 1024; threads += 96)
    for (std::uint32_t registers = 16; registers <= 255; registers += 7)
      for (const std::uint32_t shared : {0U, 5'000U, 40'000U}) {
        const CtaResources resources{threads, registers, shared, 0};
        const auto expected = occupancy(resources, gpu);
        if (!expected)
          continue;
        limited_by_registers += expected->limiter == Limiter::registers ? 1 : 0;
        expect_as_many(resources, gpu, expected->ctas_per_sm);
      }
  EXPECT_GT(limited_by_registers, 100);
}

// Of 102,400 bytes a CTA of 60,000 has 61,056 with the system's 1,024, by units of 128. Of the 41,344 that
// are left another one may have 40,320 itself.
TEST(sm_room, shared_memory_is_that_of_all_kernels) {
  const Gpu gpu = gpu_with_four_partitions();
  SmRoom room(gpu.limits);
  room.take(demand_of({32, 16, 60'000, 0}, gpu));
  EXPECT_EQ(room.ctas_that_fit(demand_of({32, 16, 40'320, 0}, gpu)), 1U);
  EXPECT_EQ(room.ctas_that_fit(demand_of({32, 16, 40'321, 0}, gpu)), 0U);
}

// Four warps of 8,192 registers leave half of each partition. Warps of 8,448 fit nowhere, though there are
// 32,768 registers; of one kernel alone each partition would hold one.
TEST(sm_room, a_warp_s_registers_are_on_one_partition) {
  const Gpu gpu = gpu_with_four_partitions();
  SmRoom room(gpu.limits);
  const CtaDemand large{.warps = 1, .registers_per_warp = 8448};
  EXPECT_EQ(room.ctas_that_fit(large), 4U);
  room.take({.warps = 4, .registers_per_warp = 8192});
  EXPECT_EQ(room.ctas_that_fit(large), 0U);
  EXPECT_EQ(room.ctas_that_fit({.warps = 1, .registers_per_warp = 8192}), 4U);
}

// 64 warps in all, or 32 CTAs.
TEST(sm_room, warps_and_ctas_are_those_of_all_kernels) {
  SmRoom room(gpu_with_four_partitions().limits);
  for (int i = 0; i < 3; ++i)
    room.take({.warps = 20});
  EXPECT_EQ(room.ctas_that_fit({.warps = 5}), 0U);
  EXPECT_EQ(room.ctas_that_fit({.warps = 2}), 2U);
  SmRoom other(gpu_with_four_partitions().limits);
  for (int i = 0; i < 31; ++i)
    other.take({.warps = 1});
  EXPECT_EQ(other.ctas_that_fit({.warps = 1}), 1U);
}

} // namespace
} // namespace kerncast::configs
