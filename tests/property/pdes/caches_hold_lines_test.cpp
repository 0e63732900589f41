// What hits in the caches of a GPU that is simulated with time is what hits in a plain simulation of all
// accesses, where their order does not depend on time: on one SM that holds one CTA.
#include <random>

#include <gtest/gtest.h>

#include "../../lines_workload.h"
#include "../../oracle/hit_rates/plain_caches.h"

namespace kerncast::pdes {
namespace {

using engine::begin_of;
using hit_rates::Access;
using hit_rates::Kernel;
using hit_rates::sweep;

void expect_plain_counts(const configs::Gpu& gpu, const Kernel& kernel, const std::string& what) {
  const LinesWorkload made(gpu, kernel);
  const CacheCounts counts = simulate_gpu(made.workload()).caches;
  hit_rates::SyntheticSource source(kernel.of_cta);
  const auto plain = hit_rates::reference::simulate(source, made.list(), kernel.ctas, 1, gpu, gpu.l1.bytes);
  EXPECT_EQ(counts.l1_requested, plain.l1_requested) << what;
  EXPECT_EQ(counts.l1_hit, plain.l1_hit) << what;
  EXPECT_EQ(counts.l2_loaded, plain.l2_requested) << what;
  EXPECT_EQ(counts.l2_hit, plain.l2_hit) << what;
  EXPECT_EQ(counts.stored, plain.stored) << what;
  EXPECT_EQ(counts.written_back, plain.written_back) << what;
  EXPECT_EQ(counts.by_rates, 0U) << what;
}

TEST(caches_hold_lines, of_a_stream) {
  expect_plain_counts(gpu_with_caches(), {4, [](std::uint64_t cta) { return sweep(100 * cta, 100); }},
                      "stream");
}

// In L1, in L2, in neither.
TEST(caches_hold_lines, that_are_read_again) {
  for (const std::uint64_t lines : {16, 17, 40, 64, 65, 80})
    expect_plain_counts(gpu_with_caches(), {2, [=](std::uint64_t) { return sweep(0, lines, 3); }},
                        std::to_string(lines) + " lines");
}

// Three rows of 20 lines of which each CTA writes the middle one elsewhere.
TEST(caches_hold_lines, of_a_stencil) {
  const auto stencil = [](std::uint64_t cta) {
    std::vector<Access> accesses;
    for (std::uint64_t i = 0; i < 20; ++i) {
      for (std::uint64_t row = cta; row < cta + 3; ++row)
        accesses.push_back({0, 20 * row + i});
      accesses.push_back({1, 10'000 + 20 * cta + i});
    }
    return accesses;
  };
  for (const bool keeps_stores : {false, true}) {
    configs::Gpu gpu = gpu_with_caches();
    gpu.l1_keeps_stores = keeps_stores;
    expect_plain_counts(gpu, {12, stencil}, "stencil");
  }
}

// Loads and stores of random lines, most of them of few.
TEST(caches_hold_lines, of_random_accesses) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto random = [=](std::uint64_t cta) {
      std::mt19937_64 draw(1000 * seed + cta);
      std::vector<Access> accesses(1 + draw() % 200);
      for (Access& access : accesses)
        access = {static_cast<tasklist::TaskId>(draw() % 2), draw() % (draw() % 4 == 0 ? 200 : 30)};
      return accesses;
    };
    configs::Gpu gpu = gpu_with_caches();
    gpu.l1_caches_global = seed % 3 != 0;
    gpu.l1_keeps_stores = seed % 2 != 0;
    expect_plain_counts(gpu, {1 + seed % 5, random}, "seed " + std::to_string(seed));
  }
}

// What SMs miss and store is what slices get, whichever slice has the line.
TEST(caches_hold_lines, and_every_sector_reaches_a_slice) {
  const Kernel kernel{24, [](std::uint64_t cta) {
                        std::vector<Access> accesses = sweep(20 * cta, 40, 2);
                        accesses.push_back({1, 5'000 + cta});
                        accesses.push_back({2, 6'000});
                        return accesses;
                      }};
  for (const std::uint32_t slices : {1U, 3U, 8U}) {
    const LinesWorkload made(gpu_with_caches(4), kernel);
    GpuWorkload gpu = made.workload();
    gpu.surroundings.slices = slices;
    const CacheCounts counts = simulate_gpu(gpu).caches;
    EXPECT_EQ(counts.by_lines, 24U * 82);
    EXPECT_EQ(counts.l2_loaded, counts.l1_requested - counts.l1_hit + 24U * 4); // atomics
    EXPECT_EQ(counts.stored, 24U * 4);
  }
}

TEST(caches_hold_lines, the_same_in_any_division_into_parts_and_with_shorter_windows) {
  const Kernel kernel{
      .ctas = 60, .of_cta = [](std::uint64_t cta) { return sweep(7 * cta, 30, 2); }, .ctas_per_sm = 3};
  const LinesWorkload made(gpu_with_caches(6), kernel);
  GpuWorkload gpu = made.workload();
  gpu.surroundings.slices = 4;
  gpu.surroundings.l2_bytes_per_clock = 16;
  gpu.surroundings.dram_bytes_per_clock = 4;
  const GpuResult whole = simulate_gpu(gpu);
  for (const std::uint32_t parts : {2U, 7U, 100U}) {
    gpu.lines = made.workload().lines;
    const GpuResult divided = simulate_gpu(gpu, {.placement = {1, parts}, .exchange = {}});
    EXPECT_EQ(divided.cycles, whole.cycles);
    EXPECT_EQ(divided.caches.rates(), whole.caches.rates());
    EXPECT_EQ(divided.statistics.events, whole.statistics.events);
  }
}

// But for the time at which an SM learns of its next CTA: all are resident.
TEST(caches_hold_lines, the_same_in_shorter_windows) {
  const Kernel kernel{
      .ctas = 24, .of_cta = [](std::uint64_t cta) { return sweep(3 * cta, 30, 2); }, .ctas_per_sm = 4};
  const LinesWorkload made(gpu_with_caches(6), kernel);
  GpuWorkload gpu = made.workload();
  gpu.surroundings.slices = 4;
  gpu.surroundings.l2_bytes_per_clock = 16;
  gpu.surroundings.dram_bytes_per_clock = 4;
  gpu.sm.config.link_bytes_per_clock = 32;
  gpu.sm.config.in_flight_bytes = 512;
  const GpuResult whole = simulate_gpu(gpu);
  gpu.surroundings.lookahead = begin_of(3);
  const GpuResult shorter = simulate_gpu(gpu);
  EXPECT_EQ(shorter.cycles, whole.cycles);
  EXPECT_EQ(shorter.caches.rates(), whole.caches.rates());
  EXPECT_GT(shorter.statistics.windows, whole.statistics.windows);
}

// Each SM alone would find its 40 lines in L2 of 64 again; two of them do not leave each other any.
TEST(caches_hold_lines, unless_sms_displace_each_others) {
  const auto own_lines = [](std::uint64_t cta) { return sweep(1'000 * cta, 40, 4); };
  const auto hits_on = [&](std::uint32_t sms) {
    const LinesWorkload made(gpu_with_caches(sms), {sms, own_lines});
    return simulate_gpu(made.workload()).caches.rates().l2;
  };
  EXPECT_DOUBLE_EQ(hits_on(1), 0.75);
  EXPECT_DOUBLE_EQ(hits_on(2), 0);
}

} // namespace
} // namespace kerncast::pdes
