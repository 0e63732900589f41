// Kernels that share a GPU: one alone is as before, nothing gets lost, times are no more than the
// sum, and the same in any division into parts.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "../../lines_workload.h"
#include "../../shared_workload.h"
#include "gpu_workloads.h"

namespace kerncast::pdes {
namespace {

using engine::to_cycles;

UniformKernel random_kernel(std::mt19937& random) {
  const auto one_of = [&](auto... values) {
    const std::common_type_t<decltype(values)...> all[] = {values...};
    return all[random() % (sizeof...(values))];
  };
  return {.l1_hit = one_of(0.0, 0.5, 0.9),
          .l2_hit = one_of(0.1, 0.5, 1.0),
          .computations = one_of(1U, 8U, 40U),
          .warps_per_cta = one_of(1U, 2U, 4U, 6U),
          .resident_ctas = one_of(1U, 3U, 5U),
          .iterations = one_of(4U, 16U),
          .ctas_per_sm = one_of(1U, 4U, 7U),
          .stores = one_of(false, true)};
}

// That of the kernel alone: as many CTAs as are resident.
configs::ResidencyLimits room_of(const UniformKernel& kernel) {
  return limits_of(kernel.resident_ctas, kernel.resident_ctas * kernel.warps_per_cta);
}

constexpr UniformGpu gpu{.sms = 6};

TEST(shared_kernels, one_alone_takes_what_it_takes_alone) {
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    const UniformKernel kernel = random_kernel(random);
    const GpuWorkload alone = all_of(kernel, gpu);
    const GpuResult expected = simulate_gpu(alone);
    const SharedGpuResult shared = simulate_shared_gpu(share({{alone}}, room_of(kernel)));
    ASSERT_EQ(to_cycles(shared.kernels[0].end), expected.cycles) << i;
    EXPECT_EQ(shared.all.ctas, expected.ctas) << i;
    for (std::size_t sm = 0; sm < expected.sms.size(); ++sm)
      EXPECT_EQ(shared.all.sms[sm].warp_state_cycles, expected.sms[sm].warp_state_cycles) << i;
  }
}

double instructions_of(const GpuResult& result) {
  double sum = 0;
  for (const engine::SmResult& sm : result.sms)
    sum += static_cast<double>(sm.warp_instructions);
  return sum;
}
double bytes_of(const GpuResult& result) {
  double sum = 0;
  for (const SliceLoad& slice : result.slices)
    sum += slice.l2_bytes;
  return sum;
}

TEST(shared_kernels, do_all_their_work_in_no_more_than_the_sum_of_their_times) {
  std::mt19937 random(2);
  for (int i = 0; i < 60; ++i) {
    const UniformKernel kernels[] = {random_kernel(random), random_kernel(random), random_kernel(random)};
    std::vector<AloneKernel> all;
    double instructions = 0, sum = 0, l2_asked = 0;
    for (const UniformKernel& kernel : kernels) {
      all.push_back({all_of(kernel, gpu), engine::begin_of(100 * static_cast<std::int64_t>(all.size())), {}});
      const GpuResult alone = simulate_gpu(all.back().alone);
      instructions += instructions_of(alone);
      sum += alone.cycles;
    }
    const SharedGpuResult result = simulate_shared_gpu(share(all, limits_of(16, 64)));
    EXPECT_EQ(instructions_of(result.all), instructions) << i;
    for (const engine::SmResult& sm : result.all.sms)
      l2_asked += sm.l2_bytes;
    EXPECT_DOUBLE_EQ(bytes_of(result.all), l2_asked) << i;
    double end = 0;
    for (const KernelTimes& times : result.kernels)
      end = std::max(end, to_cycles(times.end));
    // Alone a kernel has as many CTAs on an SM as are resident; together there is room for more.
    EXPECT_LE(end, 1.02 * sum + 200) << i;
  }
}

// Younger kernels change nothing of what happens before they are ready.
TEST(shared_kernels, the_past_is_that_of_those_that_were_there) {
  std::mt19937 random(3);
  for (int i = 0; i < 30; ++i) {
    std::vector<AloneKernel> all{{all_of(random_kernel(random), gpu)}, {all_of(random_kernel(random), gpu)}};
    const SharedGpuResult before = simulate_shared_gpu(share(all, limits_of(8, 32)));
    const Time first_end = std::min(before.kernels[0].end, before.kernels[1].end);
    all.push_back({all_of(random_kernel(random), gpu), first_end, {}});
    const SharedGpuResult after = simulate_shared_gpu(share(all, limits_of(8, 32)));
    EXPECT_EQ(std::min(after.kernels[0].end, after.kernels[1].end), first_end) << i;
    EXPECT_GE(after.kernels[2].begin, first_end) << i;
  }
}

// Two kernels of loads and stores, whose CTAs have one warp, on an SM of so many.
SharedGpuWorkload with_lines(const LinesWorkload& first, const LinesWorkload& second, std::uint32_t ctas) {
  SharedGpuWorkload out = share({{first.workload()}, {second.workload()}}, limits_of(ctas, 64));
  out.surroundings.slices = 4;
  out.surroundings.l2_bytes_per_clock = 16;
  return out;
}

TEST(shared_kernels, have_one_l1) {
  using hit_rates::Kernel;
  using hit_rates::sweep;
  // Both read the same 10 lines: whoever is first brings them, the other finds them.
  const configs::Gpu one_sm = gpu_with_caches();
  const Kernel same{1, [](std::uint64_t) { return sweep(0, 10); }};
  const LinesWorkload first(one_sm, same);
  const CacheCounts counts = simulate_shared_gpu(with_lines(first, first, 2)).all.caches;
  EXPECT_EQ(counts.by_lines, 20U);
  EXPECT_EQ(counts.l1_requested, 80U);
  EXPECT_EQ(counts.l1_hit, 40U);
  // Each alone finds its 10 lines in L1 of 16 again, together they do not.
  const Kernel own_first{1, [](std::uint64_t) { return sweep(0, 10, 4); }};
  const Kernel own_second{1, [](std::uint64_t) { return sweep(1000, 10, 4); }};
  const LinesWorkload a(one_sm, own_first);
  const LinesWorkload b(one_sm, own_second);
  EXPECT_DOUBLE_EQ(simulate_gpu(a.workload()).caches.rates().l1, 0.75);
  EXPECT_LT(simulate_shared_gpu(with_lines(a, b, 2)).all.caches.rates().l1, 0.3);
}

TEST(shared_kernels, the_same_in_any_division_into_parts) {
  const auto kernel = [](std::uint64_t first) {
    return hit_rates::Kernel{
        .ctas = 30,
        .of_cta = [first](std::uint64_t cta) { return hit_rates::sweep(first + 7 * cta, 20, 2); },
        .ctas_per_sm = 3};
  };
  const LinesWorkload first(gpu_with_caches(6), kernel(0));
  const LinesWorkload second(gpu_with_caches(6), kernel(50));
  const SharedGpuResult whole = simulate_shared_gpu(with_lines(first, second, 3));
  EXPECT_GT(whole.kernels[1].end, whole.kernels[0].end);
  for (const std::uint32_t parts : {2U, 5U, 100U}) {
    const SharedGpuResult divided =
        simulate_shared_gpu(with_lines(first, second, 3), {.placement = {1, parts}, .exchange = {}});
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(divided.kernels[k].begin, whole.kernels[k].begin);
      EXPECT_EQ(divided.kernels[k].end, whole.kernels[k].end);
    }
    EXPECT_EQ(divided.all.caches.rates(), whole.all.caches.rates());
    EXPECT_EQ(divided.all.statistics.events, whole.all.statistics.events);
  }
}

} // namespace
} // namespace kerncast::pdes
