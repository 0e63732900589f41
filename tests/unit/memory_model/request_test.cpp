// What a request costs at given hit rates, on a GPU of round numbers: L1 30, L2 200, DRAM 400 cycles.
#include <gtest/gtest.h>

#include "memory_model/request.h"

namespace kerncast::memory_model {
namespace {

configs::Gpu round_numbers() {
  configs::Gpu gpu;
  gpu.l1.latency = 30;
  gpu.l2.latency = 200;
  gpu.dram.latency = 400;
  gpu.shared.latency = 24;
  gpu.constant_latency = 8;
  gpu.texture_latency = 86;
  return gpu;
}

LaneAddresses consecutive_words() {
  LaneAddresses lanes{true, ~0U, 4, {}};
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    lanes.offsets[lane] = lane * 4;
  return lanes;
}

TEST(amat, is_the_latency_of_the_level_that_always_hits) {
  EXPECT_DOUBLE_EQ(average_access_cycles({1, 0}, round_numbers()), 30);
  EXPECT_DOUBLE_EQ(average_access_cycles({0, 1}, round_numbers()), 200);
  EXPECT_DOUBLE_EQ(average_access_cycles({0, 0}, round_numbers()), 400);
}

// 0.5 x 30 + 0.5 (0.25 x 200 + 0.75 x 400) = 190
TEST(amat, weighs_levels_by_their_hit_rates) {
  EXPECT_DOUBLE_EQ(average_access_cycles({0.5, 0.25}, round_numbers()), 190);
}

// Four sectors of 32 bytes; half miss L1, three quarters of those miss L2.
TEST(request, a_load_moves_what_misses) {
  const Request r =
      make_request(MemorySpace::global, AccessKind::load, consecutive_words(), {0.5, 0.25}, round_numbers());
  EXPECT_EQ(r.sectors, 4U);
  EXPECT_DOUBLE_EQ(r.l2_bytes, 64);
  EXPECT_DOUBLE_EQ(r.dram_bytes, 48);
  EXPECT_DOUBLE_EQ(r.latency, 190);
  EXPECT_DOUBLE_EQ(r.wavefronts, 1);
}

// Of 64 bytes that miss L1 48 come from DRAM, and L2 has to write 24 there to make room.
TEST(request, what_is_displaced_goes_to_dram_too) {
  HitRates hits = {.l1 = 0.5, .l2 = 0.25, .displaced = 0.375};
  const Request load =
      make_request(MemorySpace::global, AccessKind::load, consecutive_words(), hits, round_numbers());
  EXPECT_DOUBLE_EQ(load.dram_bytes, 48 + 24);
  EXPECT_DOUBLE_EQ(load.dram_written, 24.0 / (48 + 24));
  EXPECT_DOUBLE_EQ(load.latency, 190);
  const Request split =
      make_split_request(MemorySpace::global, AccessKind::load, consecutive_words(), hits, round_numbers());
  EXPECT_DOUBLE_EQ(split.levels[2].dram_bytes, 128 * 1.5);
  EXPECT_DOUBLE_EQ(split.levels[1].dram_bytes, 0);
  const Request store =
      make_request(MemorySpace::global, AccessKind::store, consecutive_words(), hits, round_numbers());
  EXPECT_DOUBLE_EQ(store.dram_bytes, 128 * 0.75 * 1.5);
  EXPECT_DOUBLE_EQ(store.dram_written, 1);
}

// If rates are given by which hardly anything misses, the same has to be written: a line for each miss, and
// what is left for all that ask L2. Of 64 bytes that do, 24 are.
TEST(request, what_is_displaced_does_not_follow_a_given_rate) {
  for (const double l2 : {0.25, 0.9, 0.999, 1.0}) {
    const HitRates hits = {.l1 = 0.5, .l2 = l2, .displaced = 0.375};
    const Request load =
        make_split_request(MemorySpace::global, AccessKind::load, consecutive_words(), hits, round_numbers());
    EXPECT_DOUBLE_EQ(load.dram_bytes, 64 * (1 - l2) + 24);
    const auto& [l1, hit, missed] = load.levels;
    EXPECT_DOUBLE_EQ(hit.share * hit.dram_bytes + missed.share * missed.dram_bytes, load.dram_bytes);
    EXPECT_EQ(hit.dram_bytes > 0, l2 > 0.9) << l2; // 0.1 of 64 bytes bring up to 0.4 of 64 from L2's lines
    EXPECT_LE(missed.dram_bytes, 128 * (1 + 4 + 0.375));
  }
}

// Words of one line each, and of one line together.
TEST(request, asks_l2_line_by_line) {
  LaneAddresses apart = consecutive_words();
  for (std::size_t lane = 0; lane < apart.offsets.size(); ++lane)
    apart.offsets[lane] = 128 * lane;
  for (const AccessKind kind : {AccessKind::load, AccessKind::store, AccessKind::atomic}) {
    const auto lines = [&](const LaneAddresses& lanes) {
      return make_request(MemorySpace::global, kind, lanes, {0.5, 0.25}, round_numbers()).line_bytes_per_byte;
    };
    EXPECT_DOUBLE_EQ(lines(consecutive_words()), 1);
    EXPECT_DOUBLE_EQ(lines(apart), 4);
  }
}

// Parts of 32 bytes a line: 32 bytes of words, and a bit for each byte of four sectors, are two; 16 bytes and
// as many of bits are one, and so are those of one word.
TEST(request, sends_what_is_written_side_by_side) {
  const auto sent = [](std::uint32_t stride, AccessKind kind) {
    LaneAddresses lanes = consecutive_words();
    for (std::size_t lane = 0; lane < lanes.offsets.size(); ++lane)
      lanes.offsets[lane] = stride * lane;
    const Request request = make_request(MemorySpace::global, kind, lanes, {0, 0.25}, round_numbers());
    return request.sent_bytes_per_byte * request.l2_bytes;
  };
  EXPECT_DOUBLE_EQ(sent(4, AccessKind::store), 128);
  EXPECT_DOUBLE_EQ(sent(16, AccessKind::store), 256); // 16 sectors of 4 lines
  EXPECT_DOUBLE_EQ(sent(32, AccessKind::store), 256); // 8 lines
  EXPECT_DOUBLE_EQ(sent(128, AccessKind::store), 32 * 32);
  EXPECT_DOUBLE_EQ(sent(16, AccessKind::atomic), 256);
}

// A bulk copy goes to L2 whatever hits L1, and its last byte comes after its first.
TEST(request, a_bulk_copy_passes_l1_by) {
  LaneAddresses lanes = consecutive_words();
  lanes.bulk_bytes = 4096;
  const Request load =
      make_request(MemorySpace::global, AccessKind::load, lanes, {0.5, 0.25}, round_numbers());
  EXPECT_DOUBLE_EQ(load.l2_bytes, 4096);
  EXPECT_DOUBLE_EQ(load.dram_bytes, 3072);
  EXPECT_DOUBLE_EQ(load.latency, 0.25 * 200 + 0.75 * 400);
  EXPECT_DOUBLE_EQ(load.wavefronts, 1);
  EXPECT_TRUE(load.ends_with_last_byte);
  const Request split =
      make_split_request(MemorySpace::global, AccessKind::load, lanes, {0.5, 0.25}, round_numbers());
  EXPECT_DOUBLE_EQ(split.levels[0].share, 0);
  EXPECT_DOUBLE_EQ(split.levels[1].share, 0.25);
  EXPECT_DOUBLE_EQ(split.levels[2].dram_bytes, 4096);
  const Request store =
      make_request(MemorySpace::global, AccessKind::store, lanes, {0.5, 0.25}, round_numbers());
  EXPECT_DOUBLE_EQ(store.latency, 0);
  EXPECT_DOUBLE_EQ(store.l2_bytes, 4096);
}

// 128 bytes at 64 a clock hold the pipeline twice as long.
TEST(request, a_narrow_l1_takes_longer_per_line) {
  configs::Gpu gpu = round_numbers();
  gpu.l1.bytes_per_clock = 64;
  EXPECT_DOUBLE_EQ(
      make_request(MemorySpace::global, AccessKind::load, consecutive_words(), {0, 0}, gpu).wavefronts, 2);
}

// A unit that holds a wavefront for two clocks moves 2 x 64 bytes meanwhile: nothing is left to wait for.
TEST(request, a_slow_unit_hides_a_narrow_l1) {
  configs::Gpu gpu = round_numbers();
  gpu.l1.bytes_per_clock = 64;
  LaneAddresses lanes = consecutive_words();
  lanes.wavefront_cycles = 2;
  EXPECT_DOUBLE_EQ(make_request(MemorySpace::global, AccessKind::load, lanes, {0, 0}, gpu).wavefronts, 1);
}

// A line for each lane: one a clock where L1 looks them up at that rate, one in the unit's two clocks where
// it does not.
TEST(request, lines_are_looked_up_at_the_rate_of_l1) {
  configs::Gpu gpu = round_numbers();
  LaneAddresses lanes = consecutive_words();
  lanes.wavefront_cycles = 2;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    lanes.offsets[lane] = lane * 128;
  const auto wavefronts = [&] {
    return make_request(MemorySpace::global, AccessKind::load, lanes, {1, 0}, gpu).wavefronts;
  };
  EXPECT_DOUBLE_EQ(wavefronts(), 32);
  gpu.l1.lines_per_clock = 1;
  EXPECT_DOUBLE_EQ(wavefronts(), 16);
  lanes.offsets.fill(0);
  EXPECT_DOUBLE_EQ(wavefronts(), 1); // an access is at least the unit's interval
}

// Two trips for words that two lanes each share, 32 for one word; without a loop turns are wavefronts alone.
TEST(request, lanes_at_one_address_go_round_a_loop_in_shared_memory_one_after_the_other) {
  const configs::Gpu gpu = round_numbers();
  const auto latency = [&](std::uint64_t lanes_a_word, double trip_cycles) {
    LaneAddresses lanes = consecutive_words();
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      lanes.offsets[lane] = lane / lanes_a_word * 4;
    lanes.trip_cycles = trip_cycles;
    return make_request(MemorySpace::shared, AccessKind::atomic, lanes, {}, gpu).latency;
  };
  EXPECT_EQ(latency(1, 70), 24);
  EXPECT_EQ(latency(2, 70), 24 + 70);
  EXPECT_EQ(latency(32, 70), 24 + 31 * 70);
  EXPECT_EQ(latency(32, 0), 24);
}

// Lanes eight words apart: eight wavefronts, of a clock or two each, in a unit that asks every two clocks.
TEST(request, shared_memory_passes_conflicts_at_its_own_rate) {
  configs::Gpu gpu = round_numbers();
  LaneAddresses lanes = consecutive_words();
  lanes.wavefront_cycles = 2;
  const auto wavefronts = [&](std::uint64_t apart) {
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      lanes.offsets[lane] = lane * apart;
    return make_request(MemorySpace::shared, AccessKind::load, lanes, {}, gpu).wavefronts;
  };
  EXPECT_DOUBLE_EQ(wavefronts(32), 8);
  gpu.shared.bytes_per_clock = 64;
  EXPECT_DOUBLE_EQ(wavefronts(32), 8);
  gpu.shared.bytes_per_clock = 128;
  EXPECT_DOUBLE_EQ(wavefronts(32), 4);
  EXPECT_DOUBLE_EQ(wavefronts(4), 1);
  EXPECT_EQ(shared_wavefronts(AccessKind::load, lanes, gpu), 1);
}

// 32 lanes want 16 bytes each from one address: 512 bytes at 64 a clock are four times the two clocks of a
// wavefront.
TEST(request, every_lane_gets_its_own_copy) {
  configs::Gpu gpu = round_numbers();
  gpu.l1.bytes_per_clock = 64;
  LaneAddresses lanes;
  lanes.known = true;
  lanes.mask = UINT32_MAX;
  lanes.bytes_per_lane = 16;
  lanes.wavefront_cycles = 2;
  EXPECT_DOUBLE_EQ(make_request(MemorySpace::global, AccessKind::load, lanes, {1, 0}, gpu).wavefronts, 4);
}

TEST(request, a_store_writes_through_l1_and_is_not_waited_for) {
  const Request r =
      make_request(MemorySpace::global, AccessKind::store, consecutive_words(), {1, 0.25}, round_numbers());
  EXPECT_DOUBLE_EQ(r.l2_bytes, 128);
  EXPECT_DOUBLE_EQ(r.dram_bytes, 96);
  EXPECT_DOUBLE_EQ(r.latency, 0);
  EXPECT_TRUE(r.writes);
}

TEST(request, loads_and_copies_from_l2_write_nothing_there) {
  LaneAddresses copied = consecutive_words();
  copied.bulk_bytes = 4096;
  for (const LaneAddresses& lanes : {consecutive_words(), copied}) {
    EXPECT_FALSE(make_request(MemorySpace::global, AccessKind::load, lanes, {0, 0}, round_numbers()).writes);
    EXPECT_TRUE(make_request(MemorySpace::global, AccessKind::store, lanes, {0, 0}, round_numbers()).writes);
  }
}

// 0.25 x 200 + 0.75 x 400: L1 plays no part.
TEST(request, an_atomic_never_hits_l1) {
  const Request r =
      make_request(MemorySpace::global, AccessKind::atomic, consecutive_words(), {1, 0.25}, round_numbers());
  EXPECT_DOUBLE_EQ(r.l2_bytes, 128);
  EXPECT_DOUBLE_EQ(r.latency, 350);
  EXPECT_TRUE(r.writes);
}

TEST(request, shared_and_constant_accesses_leave_no_bytes) {
  for (const MemorySpace space : {MemorySpace::shared, MemorySpace::constant}) {
    const Request r = make_request(space, AccessKind::load, consecutive_words(), {0, 0}, round_numbers());
    EXPECT_DOUBLE_EQ(r.l2_bytes, 0);
    EXPECT_DOUBLE_EQ(r.dram_bytes, 0);
  }
}

// Half of the fetches hit L1, as fast as the texture path; a quarter each takes L2's 200 and DRAM's 400.
TEST(request, a_texture_fetch_takes_its_own_time_or_that_of_its_miss) {
  const configs::Gpu gpu = round_numbers();
  const auto latency = [&](const HitRates& hits) {
    return make_request(MemorySpace::texture, AccessKind::load, consecutive_words(), hits, gpu).latency;
  };
  EXPECT_DOUBLE_EQ(latency({0.5, 1}), 0.5 * 86 + 0.5 * 200);
  EXPECT_DOUBLE_EQ(latency({0.5, 0.5}), 0.5 * 86 + 0.25 * 200 + 0.25 * 400);
}

configs::Gpu with_l2_sectors(std::uint32_t bytes) {
  configs::Gpu gpu = round_numbers();
  gpu.l2.sector_bytes = bytes;
  return gpu;
}

// The four sectors of a line lie in one of L2, which the first of them to miss fetches for all: each request
// waits for DRAM.
TEST(request, neighbours_in_one_sector_of_l2_are_fetched_together) {
  const configs::Gpu gpu = with_l2_sectors(128);
  const auto split = [&](const HitRates& hits) {
    return make_split_request(MemorySpace::global, AccessKind::load, consecutive_words(), hits, gpu);
  };
  const Request r = split({0, 0.75});
  EXPECT_DOUBLE_EQ(r.latency, 400);
  EXPECT_DOUBLE_EQ(r.l2_bytes, 128);
  EXPECT_DOUBLE_EQ(r.dram_bytes, 128);
  EXPECT_EQ(r.levels[2], (ServedBy{1, 400, 128, 128}));
  EXPECT_EQ(split({0, 0}).levels, r.levels) << "once is enough";
  // A quarter of the requests that miss L1.
  EXPECT_EQ(split({0.5, 1 - 0.25 / 4}).levels[2], (ServedBy{0.5 * 0.25, 400, 128, 128}));
  // Two sectors hit L1, the third brings the last one along: 128 bytes for two that missed.
  EXPECT_DOUBLE_EQ(split({0.5, 0.5}).dram_bytes, 128);
}

// Each lane a sector of 32 bytes of L1's, and one of 128 of L2's.
TEST(request, whole_sectors_of_l2_come_from_dram) {
  LaneAddresses lanes = consecutive_words();
  for (std::uint64_t& offset : lanes.offsets)
    offset *= 32;
  for (const AccessKind kind : {AccessKind::load, AccessKind::store, AccessKind::atomic}) {
    const Request r = make_split_request(MemorySpace::global, kind, lanes, {0, 0.25}, with_l2_sectors(128));
    EXPECT_DOUBLE_EQ(r.l2_bytes, 32 * 32);
    EXPECT_DOUBLE_EQ(r.dram_bytes, 0.75 * 32 * 128);
  }
  const Request r = make_split_request(MemorySpace::constant, AccessKind::load, lanes, {0, 0, 0, 0.5},
                                       with_l2_sectors(128));
  EXPECT_EQ(r.levels[2], (ServedBy{0.5, 400, 32 * 32, 32 * 128}));
}

// 128 sectors of L1: 32 misses of as many of L2's are all bytes, 128 are four times as many.
TEST(request, bulk_copies_fetch_whole_sectors_of_l2) {
  LaneAddresses lanes;
  lanes.bulk_bytes = 4096;
  const auto dram_bytes = [&](double h2) {
    return make_request(MemorySpace::global, AccessKind::load, lanes, {0, h2}, with_l2_sectors(128))
        .dram_bytes;
  };
  EXPECT_DOUBLE_EQ(dram_bytes(0.75), 4096);
  EXPECT_DOUBLE_EQ(dram_bytes(0), 4 * 4096);
}

TEST(request, of_no_lane_asks_no_memory_for_anything) {
  const configs::Gpu gpu = round_numbers();
  LaneAddresses lanes;
  lanes.mask = 0;
  using enum MemorySpace;
  for (const MemorySpace space : {global, local, shared, constant, texture})
    for (const AccessKind kind : {AccessKind::load, AccessKind::store, AccessKind::atomic})
      for (const auto make : {make_request, make_split_request}) {
        const Request r = make(space, kind, lanes, {0, 0}, gpu);
        EXPECT_EQ(r.l2_bytes, 0);
        EXPECT_EQ(r.dram_bytes, 0);
        EXPECT_EQ(r.sectors, 0u);
        EXPECT_EQ(r.wavefronts, 0);
        EXPECT_EQ(r.levels[1].share + r.levels[2].share, 0);
      }
  EXPECT_EQ(make_request(global, AccessKind::load, lanes, {0, 0}, gpu).latency, gpu.l1.latency);
  EXPECT_EQ(make_request(global, AccessKind::store, lanes, {0, 0}, gpu).latency, 0);
  EXPECT_EQ(make_request(shared, AccessKind::load, lanes, {0, 0}, gpu).latency, gpu.shared.latency);
}

// A sector of 128 bytes of L1's is four of L2's.
TEST(request, smaller_sectors_of_l2_move_what_l1_asks_for) {
  configs::Gpu gpu = round_numbers();
  gpu.l1.sector_bytes = 128;
  const Request r = make_request(MemorySpace::global, AccessKind::load, consecutive_words(), {0, 0.25}, gpu);
  EXPECT_DOUBLE_EQ(r.dram_bytes, 0.75 * 128);
}

// Lanes 0 and 1 at word 0, 2 and 3 at word 1, ...: two turns each of three cycles. A quarter of the lanes are
// where most of the launch's atomics go.
TEST(request, lanes_of_an_atomic_at_one_address_take_turns) {
  configs::Gpu gpu = round_numbers();
  gpu.l2_atomic_interval = 3;
  LaneAddresses lanes = consecutive_words();
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    lanes.offsets[lane] = lane / 2 * 4;
  const HitRates hits{.l2 = 1, .hottest = 0.25};
  const Request r = make_request(MemorySpace::global, AccessKind::atomic, lanes, hits, gpu);
  EXPECT_DOUBLE_EQ(r.latency, 203);
  EXPECT_DOUBLE_EQ(r.hottest_turns, 8);
  EXPECT_DOUBLE_EQ(r.same_address_turns, 2);
  const Request split = make_split_request(MemorySpace::global, AccessKind::atomic, lanes, hits, gpu);
  EXPECT_DOUBLE_EQ(split.levels[1].latency, 203);
  EXPECT_DOUBLE_EQ(split.levels[2].latency, 403);
  EXPECT_DOUBLE_EQ(make_request(MemorySpace::global, AccessKind::load, lanes, hits, gpu).latency, 200);
  EXPECT_DOUBLE_EQ(
      make_split_request(MemorySpace::global, AccessKind::load, lanes, hits, gpu).levels[1].latency, 200);
  lanes.turns = 2;
  const Request slow = make_request(MemorySpace::global, AccessKind::atomic, lanes, hits, gpu);
  EXPECT_DOUBLE_EQ(slow.latency, 206);
  EXPECT_DOUBLE_EQ(slow.hottest_turns, 16);
  EXPECT_DOUBLE_EQ(slow.same_address_turns, 4);
  gpu.l2_atomic_interval = 0;
  EXPECT_DOUBLE_EQ(make_request(MemorySpace::global, AccessKind::atomic, lanes, hits, gpu).latency, 200);
}

// Four sectors, each two thirds of a turn of three cycles; a quarter is of the line that most loads read.
TEST(request, loads_of_the_hottest_line_take_turns) {
  configs::Gpu gpu = round_numbers();
  gpu.l2_atomic_interval = 3;
  gpu.l2_line_bytes_per_clock = 16;
  const HitRates hits{.l2 = 1, .hottest = 0.25};
  const Request r = make_request(MemorySpace::global, AccessKind::load, consecutive_words(), hits, gpu);
  EXPECT_DOUBLE_EQ(r.turns, 8.0 / 3);
  EXPECT_DOUBLE_EQ(r.hottest_turns, 2.0 / 3);
  const HitRates half{.l1 = 0.5, .l2 = 1, .hottest = 0.25};
  const auto turns_by = [&](auto make) {
    return make(MemorySpace::global, AccessKind::load, consecutive_words(), half, gpu).hottest_turns;
  };
  EXPECT_DOUBLE_EQ(turns_by(make_request), 1.0 / 3);       // on average
  EXPECT_DOUBLE_EQ(turns_by(make_split_request), 2.0 / 3); // of each that misses
  gpu.l2_line_bytes_per_clock = 0;
  EXPECT_EQ(make_request(MemorySpace::global, AccessKind::load, consecutive_words(), hits, gpu).turns, 0);
}

// In shared memory, too: 32 lanes at one word, 16 at each of two words of one bank, and at their own.
TEST(request, lanes_of_an_atomic_at_one_word_of_shared_memory_take_turns) {
  const configs::Gpu gpu = round_numbers();
  const auto wavefronts = [&](AccessKind kind, std::uint64_t words, std::uint64_t apart) {
    LaneAddresses lanes = consecutive_words();
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      lanes.offsets[lane] = lane % words * apart;
    return make_request(MemorySpace::shared, kind, lanes, {}, gpu).wavefronts;
  };
  EXPECT_EQ(wavefronts(AccessKind::load, 1, 4), 1);
  EXPECT_EQ(wavefronts(AccessKind::atomic, 1, 4), 32);
  EXPECT_EQ(wavefronts(AccessKind::atomic, 2, 4), 16);
  EXPECT_EQ(wavefronts(AccessKind::load, 2, 128), 2);
  EXPECT_EQ(wavefronts(AccessKind::atomic, 2, 128), 32);
  EXPECT_EQ(wavefronts(AccessKind::atomic, 32, 4), 1);
}

TEST(request, on_chip_latencies_come_from_the_description) {
  const configs::Gpu gpu = round_numbers();
  EXPECT_DOUBLE_EQ(make_request(MemorySpace::shared, AccessKind::load, consecutive_words(), {}, gpu).latency,
                   24);
  EXPECT_DOUBLE_EQ(
      make_request(MemorySpace::constant, AccessKind::load, consecutive_words(), {}, gpu).latency, 8);
  EXPECT_DOUBLE_EQ(
      make_request(MemorySpace::texture, AccessKind::load, consecutive_words(), {1, 0}, gpu).latency, 86);
}

} // namespace
} // namespace kerncast::memory_model
