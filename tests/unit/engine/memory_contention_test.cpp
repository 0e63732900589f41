// Finite rates: a stream of misses takes at least its bytes divided by the narrowest rate on its way, and
// every limit of the description has an effect of the expected size.
#include <gtest/gtest.h>

#include "engine/finite_rate.h"
#include "engine/simulate_sm.h"

namespace kerncast::engine::memory_contention {
namespace {

constexpr double latency = 400;
constexpr std::uint64_t loads = 1000;
constexpr double bytes = 128;

// One warp that issues `loads` independent loads, one a cycle.
SmWorkload stream(const SmConfig& config, const memory_model::Request& request, bool returns_data = true) {
  SmProgram program;
  SmOp load;
  load.kind = SmOpKind::memory;
  load.returns_data = returns_data;
  load.destination_count = returns_data ? 1 : 0;
  program.ops = {load};
  program.slots = {0};
  program.slot_count = 1;
  program.loop_depth = 1;
  program.requests = {request};
  program.request_pool = {0};
  program.steps = {{.kind = Step::Kind::run, .end_op = 1},
                   {.kind = Step::Kind::loop_end, .count = loads},
                   {.kind = Step::Kind::finish}};
  program.path_start = {0};
  SmWorkload workload;
  workload.config = config;
  workload.program = std::make_shared<const SmProgram>(std::move(program));
  workload.kinds = {{{0}}};
  workload.ctas = {{0, 1}};
  return workload;
}

SmConfig one_load_unit() {
  SmConfig config;
  config.units = {{configs::UnitScope::sm, 1}};
  return config;
}

const memory_model::Request miss = {latency, 1, bytes, bytes, 4};

// Unlimited: the last load issues at 999 and returns 400 later.
TEST(memory_contention, without_limits_loads_overlap_completely) {
  EXPECT_DOUBLE_EQ(simulate_sm(stream(one_load_unit(), miss)).cycles, loads - 1 + latency);
}

// 128 bytes at 8 a clock: 16 cycles a load. The last starts after 999 x 16.
TEST(memory_contention, dram_bandwidth_spaces_misses) {
  SmConfig config = one_load_unit();
  config.dram_bytes_per_clock = 8;
  EXPECT_DOUBLE_EQ(simulate_sm(stream(config, miss)).cycles, (loads - 1) * 16 + latency);
}

// The last copy starts as late, and its last byte comes 16 cycles after its first.
TEST(memory_contention, bulk_copies_end_with_their_last_byte) {
  SmConfig config = one_load_unit();
  config.dram_bytes_per_clock = 8;
  memory_model::Request copy = miss;
  copy.ends_with_last_byte = true;
  EXPECT_DOUBLE_EQ(simulate_sm(stream(config, copy)).cycles, (loads - 1) * 16 + latency + 16);
}

// Eight lanes at the hottest address, of which this SM's share is half a turn a clock.
TEST(memory_contention, atomics_of_one_address_take_turns) {
  SmConfig config = one_load_unit();
  config.hottest_turns_per_clock = 0.5;
  memory_model::Request atomic = miss;
  atomic.hottest_turns = 8;
  const SmResult result = simulate_sm(stream(config, atomic));
  EXPECT_DOUBLE_EQ(result.cycles, (loads - 1) * 16 + latency);
  EXPECT_DOUBLE_EQ(result.hottest_turns, loads * 8);
  EXPECT_DOUBLE_EQ(simulate_sm(stream(config, miss)).cycles, loads - 1 + latency);
}

// What L1 has does not go to L2.
TEST(memory_contention, hits_in_l1_take_no_turns) {
  SmConfig config = one_load_unit();
  config.hottest_turns_per_clock = 0.5;
  memory_model::Request load = miss;
  load.hottest_turns = 8;
  load.levels = {memory_model::ServedBy{.share = 1, .latency = latency}};
  const SmResult result = simulate_sm(stream(config, load));
  EXPECT_EQ(result.hottest_turns, 0);
  EXPECT_DOUBLE_EQ(result.cycles, loads - 1 + latency);
}

// Nobody waits for a store, but the launch for what is left in the queue: the last wavefront begins after 32
// x 1000 - 1.
TEST(memory_contention, stores_that_conflict_are_waited_for_at_the_end) {
  memory_model::Request conflict;
  conflict.wavefronts = 32;
  EXPECT_DOUBLE_EQ(simulate_sm(stream(one_load_unit(), conflict, false)).cycles, 32 * loads - 1);
}

// Three accesses of 16 cycles at once: the last waits for 32. Where half of the rate is other SMs', this SM
// is out of step with them by 16 from then on, and what one access takes of the next three is served while
// nobody else asks.
TEST(memory_contention, sms_that_have_waited_for_one_another_are_out_of_step) {
  const auto waits = [](double others) {
    SharedServer server;
    std::vector<double> all;
    for (const double now : {0.0, 1000.0})
      for (int access = 0; access < 3; ++access)
        all.push_back(to_cycles(admit(server, to_time(16), to_time(now), others)) - now);
    return all;
  };
  EXPECT_EQ(waits(0), (std::vector<double>{0, 16, 32, 0, 16, 32}));
  EXPECT_EQ(waits(0.5), (std::vector<double>{0, 16, 32, 0, 0, 16}));
  EXPECT_EQ(waits(1), (std::vector<double>{0, 16, 32, 0, 0, 0}));
}

// However much of the rate is others', a stream has its share: one load in 16 cycles.
TEST(memory_contention, a_stream_has_its_share_of_what_others_use) {
  SmConfig config = one_load_unit();
  config.dram_bytes_per_clock = 8;
  config.others_share = 0.99;
  EXPECT_DOUBLE_EQ(simulate_sm(stream(config, miss)).cycles, (loads - 1) * 16 + latency);
}

TEST(memory_contention, the_narrowest_rate_decides) {
  SmConfig config = one_load_unit();
  config.dram_bytes_per_clock = 64;
  config.l2_bytes_per_clock = 32;
  config.link_bytes_per_clock = 16;
  EXPECT_DOUBLE_EQ(simulate_sm(stream(config, miss)).cycles, (loads - 1) * 8 + latency);
}

// L2 sends 32 bytes a clock and takes 16; a load's request takes a quarter of what as many written bytes do.
SmConfig two_ways_of_l2() {
  SmConfig config = one_load_unit();
  config.l2_bytes_per_clock = 32;
  config.l2_requests = {16, 0.25};
  return config;
}

memory_model::Request written() {
  memory_model::Request request = miss;
  request.writes = true;
  return request;
}

// 128 / 32 = 4 cycles of data a load, 0.25 x 128 / 16 = 2 of requests.
TEST(memory_contention, reads_of_l2_take_the_way_of_data) {
  EXPECT_DOUBLE_EQ(simulate_sm(stream(two_ways_of_l2(), miss)).cycles, (loads - 1) * 4 + latency);
}

// 128 / 16 = 8 cycles a store.
TEST(memory_contention, writes_to_l2_take_the_way_of_requests) {
  EXPECT_DOUBLE_EQ(simulate_sm(stream(two_ways_of_l2(), written(), false)).cycles, loads * 8);
}

// Of four lines a sector each: 4 x 0.25 x 128 / 16 = 8 cycles of requests a load, as long as four whole
// lines. A store takes 6 for its data besides, three quarters of a whole line's 8.
TEST(memory_contention, a_request_to_l2_takes_as_long_for_a_sector_as_for_a_line) {
  memory_model::Request load = miss, store = written();
  load.line_bytes_per_byte = store.line_bytes_per_byte = 4;
  EXPECT_DOUBLE_EQ(simulate_sm(stream(two_ways_of_l2(), load)).cycles, (loads - 1) * 8 + latency);
  EXPECT_DOUBLE_EQ(simulate_sm(stream(two_ways_of_l2(), store, false)).cycles, loads * (8 + 6));
  store.sent_bytes_per_byte = 0.5; // a part of each sector
  EXPECT_DOUBLE_EQ(simulate_sm(stream(two_ways_of_l2(), store, false)).cycles, loads * (8 + 3));
}

// Load and store in turn: 2 + 8 cycles of requests a pair, beside 4 of data. 500 pairs.
TEST(memory_contention, reads_and_writes_of_l2_share_the_way_of_requests_only) {
  const SmWorkload loads_only = stream(two_ways_of_l2(), miss);
  SmProgram program = *loads_only.program;
  SmOp store = program.ops[0];
  store.returns_data = false;
  store.destination_count = 0;
  store.access = 1;
  program.ops.push_back(store);
  program.requests = {miss, written()};
  program.request_pool = {0, 1};
  program.steps[0].end_op = 2;
  program.steps[1].count = loads / 2;
  SmWorkload both = loads_only;
  both.program = std::make_shared<const SmProgram>(std::move(program));
  const SmResult result = simulate_sm(both);
  EXPECT_DOUBLE_EQ(result.cycles, std::max(double{loads} / 2 * 10, (loads / 2 - 1) * 10 + latency));
  EXPECT_DOUBLE_EQ(result.l2_bytes, loads * bytes);
  EXPECT_DOUBLE_EQ(result.l2_data_bytes, loads / 2 * bytes);
  EXPECT_DOUBLE_EQ(result.l2_request_bytes, (0.25 + 1) * loads / 2 * bytes);
}

// Without a rate of its own what is written takes the way of data.
TEST(memory_contention, writes_to_l2_are_as_reads_where_nothing_else_is_stated) {
  SmConfig config = one_load_unit();
  config.l2_bytes_per_clock = 32;
  EXPECT_DOUBLE_EQ(simulate_sm(stream(config, written(), false)).cycles, loads * 4);
}

// 4 loads in flight: 250 groups of four, a group every 400 cycles; within the last, 3 more issue cycles.
TEST(memory_contention, misses_in_flight_are_limited) {
  SmConfig config = one_load_unit();
  config.in_flight_bytes = 4 * bytes;
  EXPECT_DOUBLE_EQ(simulate_sm(stream(config, miss)).cycles, loads / 4 * latency + 3);
}

// Two wavefronts a load on one port: a load every two cycles; the second wavefront leaves one cycle later.
TEST(memory_contention, ports_pass_one_wavefront_at_a_time) {
  const memory_model::Request two_wavefronts = {latency, 2, 0, 0, 0};
  EXPECT_DOUBLE_EQ(simulate_sm(stream(one_load_unit(), two_wavefronts)).cycles,
                   (loads - 1) * 2 + 1 + latency);
}

// Stores are not waited for, but the kernel ends when they have drained: 1,000 x 128 / 8.
TEST(memory_contention, a_kernel_ends_when_its_stores_have_drained) {
  SmConfig config = one_load_unit();
  config.dram_bytes_per_clock = 8;
  EXPECT_DOUBLE_EQ(simulate_sm(stream(config, miss, false)).cycles, loads * 16);
}

TEST(memory_contention, counts_the_bytes_of_every_level) {
  const SmResult result = simulate_sm(stream(one_load_unit(), {latency, 1, 96, 32, 3}));
  EXPECT_DOUBLE_EQ(result.l2_bytes, 96 * loads);
  EXPECT_DOUBLE_EQ(result.dram_bytes, 32 * loads);
}

} // namespace
} // namespace kerncast::engine::memory_contention
