// How long accesses take whose lines are in a cache, on their way to one, or in none.
#include <gtest/gtest.h>

#include "../../lines_workload.h"

namespace kerncast::pdes {
namespace {

using engine::begin_of;
using hit_rates::Access;
using hit_rates::Kernel;
using hit_rates::sweep;

const std::vector<std::string> past_l1 = {"ld.global.cg.f32"};

std::vector<Access> one_line(std::uint64_t /*cta*/) { return sweep(0, 1); }

GpuResult simulated(const configs::Gpu& gpu, const Kernel& kernel, L2Contents* l2 = nullptr) {
  const LinesWorkload made(gpu, kernel);
  return simulate_gpu(made.workload(), {}, l2);
}

// From DRAM after 400 cycles; then from L1 after 30 more.
TEST(caches, a_line_that_was_loaded_is_in_l1) {
  EXPECT_DOUBLE_EQ(simulated(gpu_with_caches(), {1, [](std::uint64_t) { return sweep(0, 1, 2); }}).cycles,
                   430);
}

// The second warp asks one cycle after the first and gets the same data at the same time.
TEST(caches, who_hits_a_line_on_its_way_waits_for_it) {
  const GpuResult result = simulated(gpu_with_caches(), {.ctas = 2, .of_cta = one_line, .ctas_per_sm = 2});
  EXPECT_DOUBLE_EQ(result.cycles, 400);
  EXPECT_EQ(result.caches.l1_hit, 4U);
  EXPECT_EQ(result.caches.l2_loaded, 4U);
}

// The second SM hits in L2 what DRAM has not sent yet: at 400, not after L2's 200.
TEST(caches, who_hits_in_l2_what_dram_still_sends_waits_for_it) {
  const GpuResult result = simulated(gpu_with_caches(2), {2, one_line});
  EXPECT_DOUBLE_EQ(result.sms[0].cycles, 400);
  EXPECT_DOUBLE_EQ(result.sms[1].cycles, 400);
  EXPECT_EQ(result.caches.l2_hit, 4U);
  EXPECT_DOUBLE_EQ(result.slices[0].dram_bytes, 128);
}

TEST(caches, l2_keeps_its_lines_from_launch_to_launch) {
  const configs::Gpu gpu = gpu_with_caches();
  L2Contents l2;
  EXPECT_DOUBLE_EQ(simulated(gpu, {1, one_line}, &l2).cycles, 400);
  EXPECT_DOUBLE_EQ(simulated(gpu, {1, one_line}, &l2).cycles, 200);
}

// SM 1 is in the other partition than slice 0.
TEST(caches, a_line_in_the_far_partition_takes_longer) {
  const LinesWorkload made(gpu_with_caches(2), {2, one_line});
  GpuWorkload workload = made.workload();
  workload.surroundings.partitions = 2;
  workload.surroundings.far_extra = begin_of(100);
  L2Contents l2;
  simulate_gpu(workload, {}, &l2);
  const GpuResult result = simulate_gpu(workload, {}, &l2);
  EXPECT_DOUBLE_EQ(result.sms[0].cycles, 200);
  EXPECT_DOUBLE_EQ(result.sms[1].cycles, 300);
}

// 64 lines that were written fill L2; each of two more displaces one, whose 128 bytes go to DRAM.
TEST(caches, what_was_written_goes_to_dram_when_its_line_has_to_go) {
  const auto write_then_read = [](std::uint64_t) {
    std::vector<Access> accesses;
    for (std::uint64_t line = 0; line < 64; ++line)
      accesses.push_back({1, line});
    accesses.push_back({0, 100});
    accesses.push_back({0, 101});
    return accesses;
  };
  const GpuResult result = simulated(gpu_with_caches(), {1, write_then_read});
  EXPECT_EQ(result.caches.written_back, 8U);
  EXPECT_DOUBLE_EQ(result.slices[0].dram_bytes, 2 * 128 + 2 * 128);
}

// L2 has what was written whole; of what was written in part DRAM has the rest.
TEST(caches, what_was_written_in_part_is_fetched_when_it_is_read) {
  const auto cycles_after = [](std::uint32_t written) {
    return simulated(gpu_with_caches(),
                     {1,
                      [&](std::uint64_t) {
                        return std::vector<Access>{{.task = 1, .line = 0, .lanes = written}, {0, 0}};
                      }})
        .cycles;
  };
  EXPECT_DOUBLE_EQ(cycles_after(0x55555555) - cycles_after(UINT32_MAX), dram_answers - l2_answers);
}

// Four slices that take 32 cycles for a line. Four SMs that read one line take their turns in its slice; four
// neighbouring lines are in four slices.
TEST(caches, a_line_that_all_read_makes_its_slice_hot) {
  const configs::Gpu gpu = gpu_with_caches(4);
  const auto cycles_of = [&](const std::function<std::vector<Access>(std::uint64_t)>& of_cta) {
    const LinesWorkload made(gpu, {4, of_cta, past_l1});
    GpuWorkload workload = made.workload();
    workload.surroundings.slices = 4;
    workload.surroundings.l2_bytes_per_clock = 4;
    L2Contents l2;
    simulate_gpu(workload, {}, &l2);
    return simulate_gpu(workload, {}, &l2).cycles;
  };
  EXPECT_DOUBLE_EQ(cycles_of(one_line), 200 + 3 * 32);
  EXPECT_DOUBLE_EQ(cycles_of([](std::uint64_t cta) { return sweep(cta, 1); }), 200);
}

// An atomic is carried out in L2 and drops the line from L1: the load after it goes to L2 again.
TEST(caches, atomics_go_to_l2) {
  const auto around_an_atomic = [](std::uint64_t) { return std::vector<Access>{{0, 0}, {2, 0}, {0, 0}}; };
  EXPECT_DOUBLE_EQ(simulated(gpu_with_caches(), {1, around_an_atomic}).cycles, 400 + 200 + 200);
}

// The second waits until the first has had its turn of 10 cycles; on lines of their own neither waits.
TEST(caches, atomics_at_one_address_take_turns) {
  const configs::Gpu gpu = gpu_with_caches(2);
  const auto cycles_of = [&](const std::function<std::vector<Access>(std::uint64_t)>& of_cta) {
    const LinesWorkload made(gpu, {2, of_cta});
    GpuWorkload workload = made.workload();
    workload.surroundings.atomic_interval = 10 * engine::one_cycle;
    L2Contents l2;
    simulate_gpu(workload, {}, &l2);
    return simulate_gpu(workload, {}, &l2).cycles;
  };
  EXPECT_DOUBLE_EQ(cycles_of([](std::uint64_t) { return std::vector<Access>{{2, 0}}; }), 200 + 10);
  EXPECT_DOUBLE_EQ(cycles_of([](std::uint64_t cta) { return std::vector<Access>{{2, cta}}; }), 200);
}

// The four sectors of a line take ten cycles each; the second CTA waits for the first one's, but not for a
// line of its own.
TEST(caches, loads_of_one_line_past_l1_take_turns) {
  configs::Gpu gpu = gpu_with_caches(2);
  gpu.l1_caches_global = false;
  const auto cycles_of = [&](const std::function<std::vector<Access>(std::uint64_t)>& of_cta) {
    const LinesWorkload made(gpu, {2, of_cta});
    GpuWorkload workload = made.workload();
    workload.surroundings.atomic_interval = 10 * engine::one_cycle;
    auto program = std::make_shared<engine::SmProgram>(*workload.sm.program);
    for (memory_model::Request& request : program->requests)
      request.hottest_turns = request.turns = request.sectors;
    workload.sm.program = program;
    L2Contents l2;
    simulate_gpu(workload, {}, &l2);
    return simulate_gpu(workload, {}, &l2).cycles;
  };
  EXPECT_DOUBLE_EQ(cycles_of(one_line), 200 + 40);
  EXPECT_DOUBLE_EQ(cycles_of([](std::uint64_t cta) { return sweep(cta, 1); }), 200);
}

// Nobody knows where the access goes: the request's rates decide, which here send all to DRAM.
TEST(caches, accesses_without_addresses_hit_by_rates) {
  const configs::Gpu gpu = gpu_with_caches();
  const LinesWorkload made(gpu, {1, [](std::uint64_t) { return sweep(0, 1, 2); }});
  const LinesWorkload without(gpu, {1, [](std::uint64_t) { return std::vector<Access>{}; }});
  GpuWorkload workload = made.workload();
  workload.lines = without.workload().lines;
  const GpuResult result = simulate_gpu(workload);
  EXPECT_DOUBLE_EQ(result.cycles, 800);
  EXPECT_EQ(result.caches.by_rates, 2U);
  EXPECT_EQ(result.caches.by_lines, 0U);
}

// Four sectors of 32 bytes cross the link; the first brings the sector of L2, of 128 bytes, for all.
TEST(caches, a_larger_sector_of_l2_is_fetched_once) {
  configs::Gpu gpu = gpu_with_caches();
  gpu.l2.sector_bytes = 128;
  const GpuResult result = simulated(gpu, {1, one_line});
  EXPECT_DOUBLE_EQ(result.cycles, 400);
  EXPECT_DOUBLE_EQ(result.slices[0].l2_bytes, 128);
  EXPECT_DOUBLE_EQ(result.slices[0].dram_bytes, 128);
}

// A sector of L1 is four of L2, which DRAM has.
TEST(caches, smaller_sectors_of_l2_are_all_fetched) {
  configs::Gpu gpu = gpu_with_caches();
  gpu.l1.sector_bytes = 128;
  const GpuResult result = simulated(gpu, {1, one_line});
  EXPECT_DOUBLE_EQ(result.slices[0].l2_bytes, 128);
  EXPECT_DOUBLE_EQ(result.slices[0].dram_bytes, 128);
}

// L2 has lines of 256 bytes: lines 0 and 1 of L1 are one of them, on whose way the other half comes along.
// Lines 0 and 2 have a register each, one after the other.
TEST(caches, one_register_for_all_that_is_missed_of_a_line) {
  configs::Gpu gpu = gpu_with_caches(2);
  gpu.l2.line_bytes = 256;
  const auto end_with = [&](std::uint64_t second) {
    const LinesWorkload made(gpu, {2, [=](std::uint64_t cta) { return sweep(cta * second, 1); }});
    GpuWorkload workload = made.workload();
    workload.surroundings.mshrs = 1;
    workload.surroundings.miss_time = engine::begin_of(300);
    return simulate_gpu(workload).cycles;
  };
  EXPECT_DOUBLE_EQ(end_with(1), dram_answers);
  EXPECT_DOUBLE_EQ(end_with(2), dram_answers + 300);
}

} // namespace
} // namespace kerncast::pdes
