// What SMs that begin with the same CTAs do, found in one run, is what each does alone.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/simulate_plan.h"
#include "engine/simulate_sm.h"
#include "first_ctas.h"
#include "random_workload.h"

namespace kerncast::engine {
namespace {

SmWorkload of_first(SmWorkload workload, std::uint64_t ctas) {
  const std::uint64_t first = std::min(workload.ctas[0].count, ctas);
  workload.ctas = {{workload.ctas[0].kind, first}, {workload.ctas[1].kind, ctas - first}};
  return workload;
}

void expect_equal(const SmResult& a, const SmResult& b, const std::string& what) {
  ASSERT_EQ(a.cycles, b.cycles) << what;
  ASSERT_EQ(a.warp_instructions, b.warp_instructions) << what;
  ASSERT_EQ(a.warp_state_cycles, b.warp_state_cycles) << what;
  ASSERT_EQ(a.resident_warp_cycles, b.resident_warp_cycles) << what;
  ASSERT_EQ(a.unit_busy_cycles, b.unit_busy_cycles) << what;
  ASSERT_EQ(a.l2_bytes, b.l2_bytes) << what;
  ASSERT_EQ(a.dram_bytes, b.dram_bytes) << what;
  ASSERT_EQ(a.dram_queueing, b.dram_queueing) << what;
  ASSERT_EQ(a.broken_barriers, b.broken_barriers) << what;
}

void expect_alone_and_among_others_equal(std::uint32_t seed) {
  SmWorkload workload = RandomWorkload(seed).make(policies[seed % std::size(policies)]);
  workload.steady_error = 0;
  const std::uint64_t resident = workload.resident_ctas;
  workload.ctas = {{0, resident + 2}, {1, 2 * resident + 1}};
  FirstCtas first(workload);
  for (const std::uint64_t ctas : {resident + 1, resident + 3, 2 * resident + 3, 3 * resident + 3}) {
    const SmResult alone = simulate_sm(of_first(workload, ctas));
    ASSERT_NO_FATAL_FAILURE(expect_equal(first.of(ctas), alone, fmt::format("seed {}, {} CTAs", seed, ctas)));
    ASSERT_EQ(first.of(ctas).simulated_warp_instructions, 0U) << "known already";
  }
}

#if defined(KERNCAST_ADDRESS_SANITIZER) || defined(KERNCAST_THREAD_SANITIZER)
constexpr std::uint32_t random_workloads = 200; // a hundred times slower, for other mistakes
#else
constexpr std::uint32_t random_workloads = 2000;
#endif

TEST(first_ctas, do_among_others_what_they_do_alone) {
  for (std::uint32_t seed = 0; seed < random_workloads; ++seed)
    ASSERT_NO_FATAL_FAILURE(expect_alone_and_among_others_equal(seed));
}

using Sequence = std::vector<CtaRun>;

// Every other SM is simulated with the first, and alone under the load that the first found.
void expect_others_as_alone(const SmWorkload& workload, const std::string& what) {
  const SmResult together = simulate_sm(workload);
  SmWorkload alone = workload;
  alone.other_ctas.clear();
  ASSERT_NO_FATAL_FAILURE(expect_equal(together, simulate_sm(alone), what));
  ASSERT_EQ(together.others.size(), workload.other_ctas.size()) << what;
  for (std::size_t i = 0; i < workload.other_ctas.size(); ++i) {
    alone.ctas = workload.other_ctas[i];
    ASSERT_NO_FATAL_FAILURE(expect_equal(together.others[i],
                                         simulate_sm(under_load(alone, together.dram_queueing)),
                                         fmt::format("{}, other {}", what, i)));
  }
}

TEST(other_ctas, do_in_one_run_what_they_do_alone) {
  for (std::uint32_t seed = 0; seed < random_workloads; ++seed) {
    SmWorkload workload = RandomWorkload(seed).make(policies[seed % std::size(policies)]);
    workload.config.dram_load = seed % 2 == 0 ? DramLoad{40, 20} : DramLoad{};
    const std::uint64_t resident = workload.resident_ctas;
    workload.ctas = {{0, resident + 2}, {1, 2 * resident + 1}};
    workload.other_ctas = {Sequence{{0, resident + 2}, {1, 1}, {0, 2}}, Sequence{{0, resident}},
                           Sequence{{0, resident + 1}, {1, 3 * resident}},
                           Sequence{{0, resident + 2}, {1, 2 * resident}}};
    ASSERT_NO_FATAL_FAILURE(expect_others_as_alone(workload, fmt::format("seed {}", seed)));
  }
}

TEST(other_ctas, are_continued_as_alone) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SmWorkload workload = RandomWorkload(seed).make(policies[seed % std::size(policies)]);
    workload.steady_error = 0.01;
    workload.ctas = {{0, 5000}};
    workload.other_ctas = {Sequence{{0, 4999}}};
    ASSERT_NO_FATAL_FAILURE(expect_others_as_alone(workload, fmt::format("seed {}", seed)));
  }
}

} // namespace
} // namespace kerncast::engine
