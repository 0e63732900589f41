// What all SMs do alike takes as long on all of them as on the one that stands for them, and no access is
// lost.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "../../ideal_surroundings.h"
#include "engine/simulate_sm.h"
#include "gpu_workloads.h"

namespace kerncast::pdes {
namespace {

struct Case {
  const char* name;
  UniformKernel kernel;
};

const Case cases[] = {
    {"bound by issue", {.l1_hit = 0.9, .l2_hit = 0.9, .computations = 60}},
    {"bound by the latency of DRAM", {.computations = 20, .warps_per_cta = 2, .resident_ctas = 2}},
    {"bound by the latency of L2", {.l2_hit = 1, .computations = 20, .warps_per_cta = 2, .resident_ctas = 2}},
    {"bound by the bandwidth of DRAM", {.l2_hit = 0.25, .resident_ctas = 8, .ctas_per_sm = 16}},
    {"bound by the bandwidth of L2", {.l2_hit = 1, .computations = 4}},
    {"hits and misses of every level", {.l1_hit = 0.4, .l2_hit = 0.6, .computations = 24}},
    {"with stores", {.l2_hit = 0.5, .computations = 30, .stores = true}},
};

class UniformKernels : public testing::TestWithParam<Case> {};

double mean_cycles(const GpuResult& result) {
  double sum = 0;
  for (const engine::SmResult& sm : result.sms)
    sum += sm.cycles;
  return sum / static_cast<double>(result.sms.size());
}

// In the mean of the SMs; the last of sixteen ends later by luck. With some computations more, so that luck
// decides nothing else.
TEST_P(UniformKernels, AgreeWithin3Percent) {
  for (std::uint32_t more = 0; more <= 8; more += 2) {
    UniformKernel kernel = GetParam().kernel;
    kernel.computations += more;
    const double whole = mean_cycles(simulate_gpu(all_of(kernel)));
    const double one = engine::simulate_sm(one_of_all(kernel, {})).cycles;
    EXPECT_LT(std::abs(whole / one - 1), 0.03)
        << GetParam().name << ", " << kernel.computations << " computations: " << whole << " and " << one;
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryBound, UniformKernels, testing::ValuesIn(cases),
                         [](const auto& tested) { return "case_" + std::to_string(tested.index); });

// Eight slices with four lines each on their way for 250 cycles: by Little's law 4 x 8 x 128 / 250 bytes per
// clock for the SM that stands for all.
TEST(whole_gpu, registers_of_slices_bound_the_bandwidth_of_dram) {
  const UniformKernel kernel{.resident_ctas = 8, .ctas_per_sm = 16};
  GpuWorkload gpu = all_of(kernel);
  gpu.surroundings.mshrs = 4;
  gpu.surroundings.miss_time = engine::begin_of(250);
  engine::SmWorkload sm = one_of_all(kernel, {});
  sm.config.dram_bytes_per_clock = 4.0 * 8 * 128 / 250 / 16;
  const double whole = simulate_gpu(gpu).cycles;
  const double one = engine::simulate_sm(sm).cycles;
  EXPECT_LT(std::abs(whole / one - 1), 0.03) << whole << " and " << one;
  EXPECT_GT(whole, 2 * simulate_gpu(all_of(kernel)).cycles);
}

// What SMs ask for is what slices get; what is awaited comes back: else the last CTA would not end.
TEST(whole_gpu, every_access_reaches_a_slice_and_every_cta_ends) {
  for (const Case& one : cases) {
    const GpuResult result = simulate_gpu(all_of(one.kernel));
    double asked = 0, got = 0;
    for (const engine::SmResult& sm : result.sms)
      asked += sm.l2_bytes;
    for (const SliceLoad& slice : result.slices)
      got += slice.l2_bytes;
    EXPECT_DOUBLE_EQ(got, asked) << one.name;
    EXPECT_EQ(std::accumulate(result.ctas.begin(), result.ctas.end(), std::uint64_t{0}),
              16 * one.kernel.ctas_per_sm);
  }
}

TEST(whole_gpu, any_division_into_parts_gives_the_same) {
  const GpuWorkload gpu = all_of(cases[5].kernel);
  const GpuResult whole = simulate_gpu(gpu);
  for (const std::uint32_t parts : {2U, 7U, 100U}) {
    const GpuResult divided = simulate_gpu(gpu, {.placement = {1, parts}, .exchange = {}});
    EXPECT_EQ(divided.cycles, whole.cycles);
    EXPECT_EQ(divided.statistics.events, whole.statistics.events);
    for (std::size_t i = 0; i < whole.sms.size(); ++i)
      EXPECT_EQ(divided.sms[i].warp_state_cycles, whole.sms[i].warp_state_cycles) << "SM " << i;
  }
}

// Nothing depends on how long windows are. (With it the time would change at which an SM learns of its next
// CTA, which therefore is not among what is compared.)
// Warps that run ahead in a window, and those that wait for the unit they share.
TEST(whole_gpu, an_sm_in_windows_is_that_of_simulate_sm) {
  for (const configs::SchedulerPolicy policy :
       {configs::SchedulerPolicy::gto, configs::SchedulerPolicy::lrr}) {
    UniformKernel kernel{.l1_hit = 0.4, .l2_hit = 0.6, .computations = 24};
    kernel.ctas_per_sm = kernel.resident_ctas;
    engine::SmWorkload sm = one_of_all(kernel, {});
    sm.config.scheduler = policy;
    sm.config.l2_bytes_per_clock = sm.config.dram_bytes_per_clock = 0;
    sm.config.l2_requests = {};
    const double whole = engine::simulate_sm(sm).cycles;
    for (const std::int64_t window : {1, 20, 50})
      EXPECT_EQ(engine::IdealSurroundings(sm, window).run().cycles, whole) << "windows of " << window;
  }
}

TEST(whole_gpu, shorter_windows_give_the_same) {
  UniformKernel kernel = cases[5].kernel;
  kernel.ctas_per_sm = kernel.resident_ctas;
  GpuWorkload gpu = all_of(kernel);
  const GpuResult whole = simulate_gpu(gpu);
  gpu.surroundings.lookahead = engine::begin_of(20);
  const GpuResult shorter = simulate_gpu(gpu);
  EXPECT_EQ(shorter.cycles, whole.cycles);
  EXPECT_GT(shorter.statistics.windows, whole.statistics.windows);
}

} // namespace
} // namespace kerncast::pdes
