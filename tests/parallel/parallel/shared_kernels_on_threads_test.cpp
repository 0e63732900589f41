// Kernels that share a GPU end on threads as they do one after the other.
#include <gtest/gtest.h>

#include "../../shared_workload.h"
#include "gpu_workloads.h"
#include "parallel/team.h"

namespace kerncast::pdes {
namespace {

TEST(shared_kernels_on_threads, end_as_they_do_in_turn) {
  const UniformGpu gpu{.sms = 8};
  const GpuWorkload first = all_of({.l2_hit = 0.5, .warps_per_cta = 4, .iterations = 16}, gpu);
  const GpuWorkload second =
      all_of({.l1_hit = 0.5, .warps_per_cta = 6, .iterations = 8, .stores = true}, gpu);
  const SharedGpuWorkload both = share({{first}, {second, engine::begin_of(500), {}}}, limits_of(6, 32));
  const SharedGpuResult in_turn = simulate_shared_gpu(both);
  for (const std::size_t threads : {2U, 3U}) {
    parallel::Team team(threads);
    const SharedGpuResult on_threads = simulate_shared_gpu(
        both, {.placement = {1, 8},
               .for_each = [&team](std::size_t count, const auto& task) { team.for_each(count, task); },
               .exchange = {}});
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(on_threads.kernels[k].begin, in_turn.kernels[k].begin);
      EXPECT_EQ(on_threads.kernels[k].end, in_turn.kernels[k].end);
    }
    EXPECT_EQ(on_threads.all.statistics.events, in_turn.all.statistics.events);
    EXPECT_EQ(on_threads.all.ctas, in_turn.all.ctas);
  }
}

} // namespace
} // namespace kerncast::pdes
