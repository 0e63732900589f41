// Kernels that share a small GPU: times that can be worked out.
#include <gtest/gtest.h>

#include "../../shared_workload.h"
#include "two_sms.h"

namespace kerncast::pdes {
namespace {

using engine::begin_of;
using engine::SmProgram;
using engine::small::compute;
using engine::small::load;

constexpr double launch = 100; // cycles from a CTA's placement to its first issue

// Several kernels of one warp per CTA.
GpuWorkload on_two_sms(engine::SmWorkload sm, std::uint64_t ctas) {
  GpuWorkload gpu = two_sms(std::move(sm), {{0, ctas}});
  gpu.surroundings.l2_bytes_per_clock = 0;
  gpu.surroundings.cta_launch_latency = engine::to_time(launch);
  gpu.sm.config.cta_launch_latency = launch;
  return gpu;
}

// One warp that issues so many instructions, one after the other, each `latency` behind the one before.
engine::SmWorkload chain(std::uint32_t instructions, double latency) {
  SmProgram program;
  std::vector<engine::SmOp> ops;
  for (std::uint32_t i = 0; i < instructions; ++i)
    ops.push_back(engine::small::with_slots(program, compute(latency), {0}, {0}));
  return engine::small::workload(program, {ops});
}

// One warp that waits for one miss after the other.
engine::SmWorkload misses(std::uint32_t loads) {
  SmProgram program;
  program.requests.push_back({400, 1, 128, 128, 4, {}});
  std::vector<engine::SmOp> ops;
  for (std::uint32_t i = 0; i < loads; ++i)
    ops.push_back(engine::small::with_slots(program, load(0), {0}, {0}));
  return engine::small::workload(program, {ops});
}

double end_of(const SharedGpuResult& result, std::size_t kernel) {
  return engine::to_cycles(result.kernels[kernel].end);
}
double begin_of_kernel(const SharedGpuResult& result, std::size_t kernel) {
  return engine::to_cycles(result.kernels[kernel].begin);
}

// As alone: 100 + 1,000, and those that replace the first.
TEST(shared_gpu, one_kernel_takes_what_it_takes_alone) {
  for (const std::uint64_t ctas : {2U, 3U, 17U}) {
    GpuWorkload alone = on_two_sms(chain(100, 10), ctas);
    alone.sm.resident_ctas = 4;
    alone.surroundings.cta_launch_interval = begin_of(7);
    const GpuResult expected = simulate_gpu(alone);
    const SharedGpuResult shared = simulate_shared_gpu(share({{alone}}, limits_of(4, 64)));
    EXPECT_DOUBLE_EQ(end_of(shared, 0), expected.cycles);
    EXPECT_EQ(shared.all.ctas, expected.ctas);
    EXPECT_EQ(shared.all.sms[0].warp_state_cycles, expected.sms[0].warp_state_cycles);
  }
}

// Each warp issues in every second cycle: of two the one issues while the other waits. 100 + 2 x 500 alone
// and together.
TEST(shared_gpu, latencies_hide_in_one_another) {
  const GpuWorkload kernel = on_two_sms(chain(500, 2), 2);
  const SharedGpuResult result = simulate_shared_gpu(share({{kernel}, {kernel}}, limits_of(2, 2)));
  EXPECT_DOUBLE_EQ(end_of(result, 0), launch + 1000);
  EXPECT_DOUBLE_EQ(end_of(result, 1), launch + 1001); // the younger issues in the other cycles
}

// Each warp alone could issue in every cycle: the scheduler has 2 x 1,000 instructions.
TEST(shared_gpu, issue_slots_add_up) {
  const GpuWorkload kernel = on_two_sms(chain(1000, 1), 2);
  const SharedGpuResult alone = simulate_shared_gpu(share({{kernel}}, limits_of(2, 2)));
  EXPECT_DOUBLE_EQ(end_of(alone, 0), launch + 1000);
  const SharedGpuResult result = simulate_shared_gpu(share({{kernel}, {kernel}}, limits_of(2, 2)));
  EXPECT_DOUBLE_EQ(end_of(result, 1), launch + 2000);
}

// The channel takes 128 bytes in 500 cycles, longer than the latency of 400: two SMs with one warp each have
// it busy alone. Of 2 x 2 x 10 misses the last begins behind 39 others.
TEST(shared_gpu, bandwidth_adds_up) {
  GpuWorkload kernel = on_two_sms(misses(10), 2);
  kernel.surroundings.dram_bytes_per_clock = 128.0 / 500;
  const SharedGpuResult alone = simulate_shared_gpu(share({{kernel}}, limits_of(2, 2)));
  EXPECT_DOUBLE_EQ(end_of(alone, 0), launch + 10 + 20 * 500);
  const SharedGpuResult result = simulate_shared_gpu(share({{kernel}, {kernel}}, limits_of(2, 2)));
  EXPECT_DOUBLE_EQ(std::max(end_of(result, 0), end_of(result, 1)), launch + 10 + 40 * 500);
}

// Three CTAs on two SMs of one CTA each: SM 0 is busy until 2 x 1,100, SM 1 until 1,100. The small kernel,
// ready at 50, gets SM 1 when the scheduler has heard of it, and ends before the large one.
TEST(shared_gpu, a_small_kernel_hides_in_the_tail_of_a_large_one) {
  const GpuWorkload large = on_two_sms(chain(100, 10), 3);
  const GpuWorkload small = on_two_sms(chain(50, 10), 1);
  const SharedGpuResult result =
      simulate_shared_gpu(share({{large}, {small, begin_of(50)}}, limits_of(1, 1)));
  EXPECT_DOUBLE_EQ(end_of(result, 0), 2 * (launch + 1000));
  EXPECT_DOUBLE_EQ(begin_of_kernel(result, 1), launch + 1000);
  EXPECT_DOUBLE_EQ(end_of(result, 1), launch + 1000 + launch + 500);
}

// All CTAs of the older kernel come first, though there would be room for the younger one's in its second
// wave.
TEST(shared_gpu, an_older_kernel_is_placed_before_a_younger_one) {
  const GpuWorkload older = on_two_sms(chain(100, 10), 4);
  const GpuWorkload younger = on_two_sms(chain(1, 10), 2);
  const SharedGpuResult result =
      simulate_shared_gpu(share({{older}, {younger, begin_of(1)}}, limits_of(1, 1)));
  EXPECT_DOUBLE_EQ(end_of(result, 0), 2 * (launch + 1000));
  EXPECT_DOUBLE_EQ(begin_of_kernel(result, 1), 2 * (launch + 1000));
}

// Two CTAs of half of the shared memory fit, but not with 1 byte more; likewise registers, if they have no
// other partition to go to.
TEST(shared_gpu, registers_or_shared_memory_forbid_sharing) {
  const GpuWorkload kernel = on_two_sms(chain(100, 10), 2);
  const auto end_with = [&](const configs::CtaDemand& first, const configs::CtaDemand& second) {
    return end_of(simulate_shared_gpu(share({{kernel, 0, first}, {kernel, 0, second}}, limits_of(16, 64))),
                  1);
  };
  const double together = launch + 1000;
  const double behind = 2 * (launch + 1000);
  EXPECT_LT(end_with({.shared_bytes = 32768}, {.shared_bytes = 32768}), together + 101);
  EXPECT_DOUBLE_EQ(end_with({.shared_bytes = 32768}, {.shared_bytes = 32769}), behind);
  EXPECT_LT(end_with({.registers_per_warp = 16384}, {.registers_per_warp = 16384}), together + 101);
  configs::ResidencyLimits one_partition = limits_of(16, 64);
  one_partition.warp_allocation_granularity = 1;
  one_partition.registers_per_sm = 16384;
  const auto with_registers = [&](std::uint32_t second) {
    const SharedGpuWorkload both =
        share({{kernel, 0, {.registers_per_warp = 8192}}, {kernel, 0, {.registers_per_warp = second}}},
              one_partition);
    return end_of(simulate_shared_gpu(both), 1);
  };
  EXPECT_LT(with_registers(8192), together + 101);
  EXPECT_DOUBLE_EQ(with_registers(8448), behind);
}

// The first kernel takes all shared memory, the second needs none.
TEST(shared_gpu, a_kernel_begins_beside_one_that_leaves_no_room_for_itself) {
  const GpuWorkload kernel = on_two_sms(chain(100, 10), 2);
  const SharedGpuResult result = simulate_shared_gpu(
      share({{kernel, 0, {.shared_bytes = 65536}}, {kernel, 0, {.shared_bytes = 0}}}, limits_of(16, 64)));
  EXPECT_DOUBLE_EQ(begin_of_kernel(result, 1), 0);
  EXPECT_LT(end_of(result, 1), launch + 1000 + 101);
}

// The CTAs of the first kernel leave both SMs in the same cycle. Those of the second, of which one SM could
// hold all, are then dealt to both.
TEST(shared_gpu, ctas_go_to_all_sms_that_become_free_at_the_same_time) {
  const GpuWorkload full = on_two_sms(chain(100, 10), 2);
  const GpuWorkload many = on_two_sms(chain(100, 10), 16);
  const SharedGpuResult result = simulate_shared_gpu(
      share({{full, 0, {.shared_bytes = 65536}}, {many, 0, {.shared_bytes = 2048}}}, limits_of(32, 64)));
  EXPECT_EQ(result.all.ctas, (std::vector<std::uint64_t>{9, 9}));
}

// One long and two short CTAs on three SMs: later SM 0 would be next in turn, but has room for one CTA less.
TEST(shared_gpu, a_cta_goes_to_the_sm_with_most_room) {
  GpuWorkload first = on_two_sms(chain(100, 10), 2);
  const engine::SmWorkload both = engine::small::workload(*chain(1000, 10).program, {{compute(10)}});
  first.surroundings.sms = 3;
  first.sm.program = both.program;
  first.sm.kinds = {{{0}}, {{1}}};
  first.sm.ctas = {{0, 1}, {1, 2}};
  const GpuWorkload second = on_two_sms(chain(100, 10), 2);
  const SharedGpuResult result =
      simulate_shared_gpu(share({{first}, {second, begin_of(1000)}}, limits_of(4, 64)));
  EXPECT_EQ(result.all.ctas, (std::vector<std::uint64_t>{1, 2, 2}));
}

// A kernel that is ready only when the others have ended takes what it takes alone from then on.
TEST(shared_gpu, kernels_that_do_not_overlap_take_their_own_time) {
  const GpuWorkload kernel = on_two_sms(misses(10), 2);
  const SharedGpuResult alone = simulate_shared_gpu(share({{kernel}}, limits_of(2, 2)));
  const SharedGpuResult result =
      simulate_shared_gpu(share({{kernel}, {kernel, begin_of(10'000)}}, limits_of(2, 2)));
  EXPECT_EQ(result.kernels[0].end, alone.kernels[0].end);
  EXPECT_EQ(result.kernels[1].end, alone.kernels[0].end + begin_of(10'000));
}

// A CTA of four warps and one of one, in turn, on an SM of five: gaps do not matter.
TEST(shared_gpu, ctas_of_different_sizes_lie_side_by_side) {
  engine::SmWorkload wide = chain(10, 10);
  wide.kinds[0].warp_paths.assign(4, 0);
  const GpuWorkload first = on_two_sms(wide, 8);
  const GpuWorkload second = on_two_sms(chain(10, 10), 8);
  const SharedGpuResult result = simulate_shared_gpu(share({{first}, {second}}, limits_of(16, 5)));
  EXPECT_EQ(result.all.ctas[0] + result.all.ctas[1], 16U);
  std::uint64_t instructions = 0;
  for (const engine::SmResult& sm : result.all.sms)
    instructions += sm.warp_instructions;
  EXPECT_EQ(instructions, 8U * 4 * 10 + 8U * 10);
}

} // namespace
} // namespace kerncast::pdes
