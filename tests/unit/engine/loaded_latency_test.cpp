// The latency of DRAM under load is the one that its own throughput leads to.
#include <gtest/gtest.h>

#include "engine/simulate_sm.h"

namespace kerncast::engine::loaded_latency {
namespace {

constexpr double latency = 400;
constexpr double bytes = 128;

// Warps of dependent loads, each of which is served by DRAM, on average or by itself.
SmWorkload chains(std::uint32_t warps, DramLoad load, bool average) {
  SmProgram program;
  SmOp op;
  op.kind = SmOpKind::memory;
  op.returns_data = true;
  op.source_count = op.destination_count = 1;
  program.ops = {op};
  program.slots = {0, 0};
  program.slot_count = 1;
  program.loop_depth = 1;
  program.path_start = {0};
  program.steps = {{.kind = Step::Kind::run, .end_op = 1},
                   {.kind = Step::Kind::loop_end, .count = 500},
                   {.kind = Step::Kind::finish}};
  program.request_pool = {0};
  memory_model::Request request;
  if (average) {
    request = {latency, 1, bytes, bytes, 4};
    request.dram_share = 1;
  } else {
    request.levels[2] = {1, latency, bytes, bytes};
  }
  program.requests = {request};
  SmWorkload workload;
  workload.config.units = {{configs::UnitScope::sm, 1}};
  workload.config.dram_bytes_per_clock = 16; // of the pins' 20
  workload.config.dram_load = load;
  workload.program = std::make_shared<const SmProgram>(std::move(program));
  workload.kinds = {{std::vector<std::uint32_t>(warps, 0)}};
  workload.ctas = {{0, 1}};
  return workload;
}

constexpr DramLoad load = {32, 18};

TEST(loaded_latency, is_that_of_the_throughput_it_leads_to) {
  for (const bool average : {false, true})
    for (const std::uint32_t warps : {1U, 10U, 30U, 45U}) {
      const SmResult result = simulate_sm(chains(warps, load, average));
      const double x = result.dram_bytes / result.cycles;
      const double total = latency + load.slope * x / (load.limit - x);
      EXPECT_NEAR(latency + result.dram_queueing, total, 0.01 * total) << warps << " warps";
      // Little's law: so many loads under way for so long.
      EXPECT_NEAR(warps * bytes / x, total, 0.01 * total) << warps << " warps";
    }
}

// By so many cycles for each byte per clock, beside what requests wait for one another.
TEST(loaded_latency, grows_with_what_waits_behind_writes) {
  constexpr double behind_writes = 40;
  for (const double slope : {0.0, 32.0})
    for (const std::uint32_t warps : {1U, 10U, 30U}) {
      const SmResult result = simulate_sm(chains(warps, {slope, 18, behind_writes}, false));
      const double x = result.dram_bytes / result.cycles;
      const double total = latency + slope * x / (18 - x) + behind_writes * x;
      EXPECT_NEAR(latency + result.dram_queueing, total, 0.01 * total) << warps << " warps";
      EXPECT_NEAR(warps * bytes / x, total, 0.01 * total) << warps << " warps";
    }
}

// Where an SM gets many CTAs the first of them tell about where it is: a run or two are enough.
TEST(loaded_latency, of_many_ctas_is_found_from_the_first_of_them) {
  for (const std::uint32_t warps : {1U, 5U, 10U}) {
    SmWorkload workload = chains(warps, load, false);
    workload.ctas = {{0, 60}};
    workload.resident_ctas = 3;
    const SmResult result = simulate_sm(workload);
    const double x = result.dram_bytes / result.cycles;
    const double queueing = load.slope * x / (load.limit - x);
    EXPECT_NEAR(result.dram_queueing, queueing, 0.01 * (latency + queueing)) << warps << " warps";
    EXPECT_LE(result.simulated_warp_instructions, 5 * result.warp_instructions / 2) << warps << " warps";
  }
}

TEST(loaded_latency, leaves_the_bandwidth_as_the_bound_of_many_warps) {
  const SmResult result = simulate_sm(chains(64, {1, 18}, false));
  EXPECT_NEAR(result.dram_bytes / result.cycles, 16, 0.2);
}

TEST(loaded_latency, of_a_description_without_it_is_the_latency) {
  const SmResult result = simulate_sm(chains(10, {}, false));
  EXPECT_EQ(result.dram_queueing, 0);
  EXPECT_NEAR(result.cycles, 500 * latency, 9 * bytes / 16); // the last of ten queues behind the others once
}

TEST(loaded_latency, never_makes_a_kernel_faster_with_more_warps_each) {
  double before = 0;
  for (std::uint32_t warps = 1; warps <= 64; ++warps) {
    const double cycles = simulate_sm(chains(warps, load, false)).cycles;
    EXPECT_GT(cycles, 0.996 * before) << warps << " warps";
    before = cycles;
  }
}

} // namespace
} // namespace kerncast::engine::loaded_latency
