// Small GPUs whose times can be worked out: SMs that share one slice of L2, and CTAs that go where there is
// room.
#include <gtest/gtest.h>

#include "two_sms.h"

namespace kerncast::pdes {
namespace {

using engine::begin_of;
using engine::SmProgram;
using engine::small::compute;
using engine::small::load;

// Misses that return after 400 cycles if nothing else is under way.
SmProgram with_misses(const std::vector<double>& bytes) {
  SmProgram program;
  for (const double b : bytes)
    program.requests.push_back({400, 1, b, b, 4, {}});
  return program;
}

// Both leave at 0 and are at the slice at 10: one returns at 400, the other waits 8 cycles for its turn.
TEST(gpu, two_misses_at_a_time_take_their_turns_in_the_slice) {
  const GpuResult result =
      simulate_gpu(two_sms(engine::small::workload(with_misses({128}), {{load(0)}}), {{0, 2}}));
  EXPECT_DOUBLE_EQ(result.sms[0].cycles, 400);
  EXPECT_DOUBLE_EQ(result.sms[1].cycles, 408);
  EXPECT_DOUBLE_EQ(result.cycles, 408);
  EXPECT_DOUBLE_EQ(result.slices[0].l2_bytes, 256);
}

// The slice takes requests beside the data that it sends: 128 bytes are written in 16 cycles, those of the
// other SM are read in 8.
TEST(gpu, written_lines_wait_for_the_way_of_requests) {
  SmProgram program = with_misses({128});
  program.requests[0].writes = true;
  GpuWorkload gpu = two_sms(engine::small::workload(program, {{load(0)}}), {{0, 2}});
  gpu.surroundings.l2_requests = {.bytes_per_clock = 8, .fraction_of_reads = 0.25};
  EXPECT_DOUBLE_EQ(simulate_gpu(gpu).sms[1].cycles, 416);
  program.requests[0].writes = false;
  gpu.sm.program = engine::small::workload(program, {{load(0)}}).program;
  EXPECT_DOUBLE_EQ(simulate_gpu(gpu).sms[1].cycles, 408);
}

// The channel takes 32 cycles for 128 bytes, the slice 8, at the same time.
TEST(gpu, the_channel_of_a_slice_may_be_what_is_waited_for) {
  GpuWorkload gpu = two_sms(engine::small::workload(with_misses({128}), {{load(0)}}), {{0, 2}});
  gpu.surroundings.dram_bytes_per_clock = 4;
  EXPECT_DOUBLE_EQ(simulate_gpu(gpu).sms[1].cycles, 432);
}

// A slice has one line on its way from DRAM, for 250 cycles: the second is read at 10 + 250. Two at a time
// are read at once.
TEST(gpu, a_miss_waits_for_a_register) {
  GpuWorkload gpu = two_sms(engine::small::workload(with_misses({128}), {{load(0)}}), {{0, 2}});
  gpu.surroundings.l2_bytes_per_clock = 0;
  gpu.surroundings.miss_time = begin_of(250);
  gpu.surroundings.mshrs = 1;
  EXPECT_DOUBLE_EQ(simulate_gpu(gpu).sms[1].cycles, 650);
  gpu.surroundings.mshrs = 2;
  EXPECT_DOUBLE_EQ(simulate_gpu(gpu).sms[1].cycles, 400);
}

// Hits and what is written need none.
TEST(gpu, only_misses_take_registers) {
  SmProgram program = with_misses({128});
  GpuWorkload gpu = two_sms(engine::small::workload(program, {{load(0)}}), {{0, 2}});
  gpu.surroundings.l2_bytes_per_clock = 0;
  gpu.surroundings.miss_time = begin_of(250);
  gpu.surroundings.mshrs = 1;
  program.requests[0].writes = true;
  gpu.sm.program = engine::small::workload(program, {{load(0)}}).program;
  EXPECT_DOUBLE_EQ(simulate_gpu(gpu).sms[1].cycles, 400);
  program.requests[0].writes = false;
  program.requests[0].dram_bytes = 0;
  gpu.sm.program = engine::small::workload(program, {{load(0)}}).program;
  EXPECT_DOUBLE_EQ(simulate_gpu(gpu).sms[1].cycles, 400);
}

// A quarter of a miss, on average: a quarter of the time.
TEST(gpu, averaged_misses_take_part_of_a_register) {
  SmProgram program = with_misses({128});
  program.requests[0].dram_bytes = 32;
  GpuWorkload gpu = two_sms(engine::small::workload(program, {{load(0)}}), {{0, 2}});
  gpu.surroundings.l2_bytes_per_clock = 0;
  gpu.surroundings.miss_time = begin_of(200);
  gpu.surroundings.mshrs = 1;
  EXPECT_DOUBLE_EQ(simulate_gpu(gpu).sms[1].cycles, 400 + 50);
}

// 512 bytes are four lines: the slice begins with the last of SM 0 at 10 + 3 x 8, with that of SM 1 at 10 + 7
// x 8.
TEST(gpu, an_access_has_returned_when_all_its_lines_have) {
  const GpuResult result =
      simulate_gpu(two_sms(engine::small::workload(with_misses({512}), {{load(0)}}), {{0, 2}}));
  EXPECT_DOUBLE_EQ(result.sms[0].cycles, 424);
  EXPECT_DOUBLE_EQ(result.sms[1].cycles, 456);
}

// SM 1 is in the other partition than slice 0. Both hit; it takes 100 cycles more, which the wait of 8
// precedes.
TEST(gpu, a_hit_in_the_far_partition_takes_longer) {
  SmProgram program = with_misses({128});
  program.requests[0].dram_bytes = 0;
  GpuWorkload gpu = two_sms(engine::small::workload(program, {{load(0)}}), {{0, 2}});
  gpu.surroundings.partitions = 2;
  gpu.surroundings.far_extra = begin_of(100);
  EXPECT_DOUBLE_EQ(simulate_gpu(gpu).sms[0].cycles, 400);
  EXPECT_DOUBLE_EQ(simulate_gpu(gpu).sms[1].cycles, 508);
}

// A CTA of 1,000 cycles and three of 10, each after a launch of 100: the long one runs on SM 0 until 1,100,
// the others follow each other on SM 1, from 100, 210 and 320 on.
TEST(gpu, ctas_go_to_the_sm_that_has_room_first) {
  engine::SmWorkload sm = engine::small::workload({}, {{compute(1000)}});
  const engine::SmWorkload other = engine::small::workload(*sm.program, {{compute(10)}});
  sm.program = other.program;
  sm.kinds = {{{0}}, {{1}}};
  GpuWorkload gpu = two_sms(sm, {{0, 1}, {1, 3}});
  gpu.surroundings.cta_launch_latency = begin_of(100);
  const GpuResult result = simulate_gpu(gpu);
  EXPECT_EQ(result.ctas, (std::vector<std::uint64_t>{1, 3}));
  EXPECT_DOUBLE_EQ(result.sms[0].cycles, 1100);
  EXPECT_DOUBLE_EQ(result.sms[1].cycles, 330);
}

// Four CTAs of 10 cycles, one of which starts every 200 cycles, on whichever SM has room.
TEST(gpu, ctas_start_one_after_the_other) {
  GpuWorkload gpu = two_sms(engine::small::workload({}, {{compute(10)}}), {{0, 4}});
  gpu.surroundings.cta_launch_latency = begin_of(100);
  gpu.surroundings.cta_launch_interval = begin_of(200);
  EXPECT_DOUBLE_EQ(simulate_gpu(gpu).cycles, 100 + 3 * 200 + 10);
}

// A launch of 5 cycles is shorter than what the scheduler needs to learn of the end and to answer, 10 each
// way.
TEST(gpu, a_cta_starts_when_the_scheduler_has_answered) {
  GpuWorkload gpu = two_sms(engine::small::workload({}, {{compute(30)}}), {{0, 4}});
  gpu.surroundings.cta_launch_latency = begin_of(5);
  EXPECT_DOUBLE_EQ(simulate_gpu(gpu).cycles, 5 + 30 + 20 + 30);
}

} // namespace
} // namespace kerncast::pdes
