// Registers where values outnumber those of full occupancy: what is freed, and what the occupancy leaves.
#include <functional>

#include <gmock/gmock.h>

#include "registers.h"
#include "registers_of.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;
using tasklist::ValueClass;
using ::testing::IsEmpty;

// 30 loads, each used at once.
ListWriter loads_used_at_once() {
  ListWriter w;
  for (tasklist::ValueId v = 0; v < 30; ++v) {
    w.add("ld.global.f32", {v}, {}, TaskKind::load);
    w.add("st.shared.f32", {}, {v}, TaskKind::store);
  }
  w.list.target = "sm_75";
  return w;
}

configs::Gpu gpu_with_slow_loads() {
  configs::Gpu gpu = tiny_gpu();
  gpu.l1.latency = 28;
  return gpu;
}

// All threads are resident with 64 registers, 60 of them for values.
configs::Gpu gpu_with_64_registers_a_thread() {
  configs::Gpu gpu = tiny_gpu();
  gpu.limits.threads_per_sm = 65536 / 64;
  return gpu;
}

// Integers that are computed from constants can be computed again.
TEST(Registers, values_that_can_be_freed_do_not_exceed_full_occupancy) {
  const configs::Gpu gpu = gpu_with_64_registers_a_thread();
  EXPECT_EQ(registers_of(values_needed_together(76), gpu), 64u);
  EXPECT_EQ(registers_of(values_needed_together(140), gpu), 64u);
}

// So can those of values that are needed for as long; not those that take the place of what they are computed
// from: to compute them again would need as many registers.
TEST(Registers, an_integer_that_takes_the_place_of_its_operand_cannot_be_freed) {
  const auto integers = [](bool needs_operands_to_the_end) {
    ListWriter w;
    for (tasklist::ValueId v = 0; v < 70; ++v)
      w.add("mul.f32", {v}, {});
    for (tasklist::ValueId v = 0; v < 70; ++v)
      w.add("add.s32", {70 + v}, {v});
    for (tasklist::ValueId v = 0; v < 70; ++v)
      w.add("st.global.f32", {}, {70 + v}, TaskKind::store);
    if (needs_operands_to_the_end)
      for (tasklist::ValueId v = 0; v < 70; ++v)
        w.add("st.global.f32", {}, {v}, TaskKind::store);
    return w;
  };
  const configs::Gpu gpu = gpu_with_64_registers_a_thread();
  EXPECT_EQ(registers_of(integers(false), gpu), 70u + 4);
  configs::Gpu roomy = gpu;
  roomy.limits.threads_per_sm = 65536 / 96; // 92 for values: the 70 fit if the integers are computed again
  EXPECT_EQ(registers_of(integers(true), roomy), 96u);
}

// Of one value that is loaded once.
TEST(Registers, what_integers_are_computed_from_is_kept_instead_of_them) {
  ListWriter w;
  w.add("ld.global.u32", {0}, {}, TaskKind::load);
  for (tasklist::ValueId v = 1; v <= 140; ++v)
    w.add("add.s32", {v}, {0});
  for (tasklist::ValueId v = 140; v <= 140; --v)
    w.add("st.global.f32", {}, {v}, TaskKind::store);
  EXPECT_EQ(registers_of(w, gpu_with_64_registers_a_thread()), 64u);
}

// 140 loaded values, added up behind what stands in between.
ListWriter sums_of_loads(const std::string& load, const std::function<void(ListWriter&)>& in_between) {
  ListWriter w;
  for (tasklist::ValueId v = 0; v < 140; ++v)
    w.add(load, {v}, {}, TaskKind::load);
  in_between(w);
  for (tasklist::ValueId v = 0; v < 140; ++v)
    w.add("mul.f32", {140}, {v});
  return w;
}

TEST(Registers, loads_come_late_unless_their_memory_may_change_before) {
  const configs::Gpu gpu = gpu_with_64_registers_a_thread();
  const auto nothing = [](ListWriter&) {};
  const auto barrier = [](ListWriter& w) { w.add("bar.sync", {}, {}, TaskKind::barrier); };
  const auto write = [](ListWriter& w) { w.add("st.global.f32", {}, {}, TaskKind::store); };
  EXPECT_EQ(registers_of(sums_of_loads("ld.global.f32", nothing), gpu), 64u);
  EXPECT_GE(registers_of(sums_of_loads("ld.global.f32", barrier), gpu), 140u);
  EXPECT_GE(registers_of(sums_of_loads("ld.global.f32", write), gpu), 140u);
  EXPECT_EQ(registers_of(sums_of_loads("ld.shared.f32", write), gpu), 64u);
  EXPECT_EQ(registers_of(sums_of_loads("ld.global.nc.f32", barrier), gpu), 64u);
}

// Each of 100 loaded values is multiplied by each of two others, which are there either all the time or for
// as long as it takes to multiply all by the first, then by the second.
TEST(Registers, loads_come_late_where_those_that_read_them_can_come_together) {
  const auto products = [](bool factors_come_first) {
    ListWriter w;
    const auto load_factors = [&w] {
      w.add("ld.shared.f32", {200}, {}, TaskKind::load);
      w.add("ld.shared.f32", {201}, {}, TaskKind::load);
    };
    if (factors_come_first)
      load_factors();
    for (tasklist::ValueId v = 0; v < 100; ++v)
      w.add("ld.global.nc.f32", {v}, {}, TaskKind::load);
    if (!factors_come_first)
      load_factors();
    for (const tasklist::ValueId factor : {200, 201})
      for (tasklist::ValueId v = 0; v < 100; ++v)
        w.add("mul.f32", {202}, {v, factor});
    return w;
  };
  const configs::Gpu gpu = gpu_with_64_registers_a_thread();
  EXPECT_EQ(registers_of(products(true), gpu), 64u);
  EXPECT_GE(registers_of(products(false), gpu), 100u);
}

// 140 elements that are loaded and then stored, each so many bytes behind its place.
ListWriter stored_behind(std::uint32_t bytes) {
  ListWriter w;
  for (tasklist::ValueId v = 0; v < 280; ++v) {
    const bool is_load = v < 140;
    tasklist::Task& access = is_load ? w.add("ld.global.f32", {v}, {}, TaskKind::load)
                                     : w.add("st.global.f32", {}, {v - 140}, TaskKind::store);
    access.base = 0;
    access.offset = is_load ? 4 * v : 4 * (v - 140) + bytes;
  }
  return w;
}

TEST(Registers, loads_come_late_past_writes_a_known_distance_away) {
  const configs::Gpu gpu = gpu_with_64_registers_a_thread();
  EXPECT_EQ(registers_of(stored_behind(0), gpu), 64u);
  EXPECT_GE(registers_of(stored_behind(4), gpu), 140u); // where the next element is loaded
  ListWriter elsewhere = stored_behind(0);
  for (std::size_t i = 140; i < 280; ++i)
    elsewhere.list.tasks[i].base = 1; // nobody knows where
  EXPECT_GE(registers_of(elsewhere, gpu), 140u);
}

// 70 sums stay, the loads in between come late: 32 warps have 64 registers a thread, 28 have 73, which are
// granted by eights, and 24 have 85.
TEST(Registers, values_that_stay_take_those_of_the_highest_occupancy_that_holds_them) {
  const auto sums_beside_loads = [](tasklist::ValueId sums) {
    ListWriter w;
    for (tasklist::ValueId v = 0; v < sums; ++v)
      w.add("mul.f32", {v}, {});
    for (tasklist::ValueId v = sums; v < sums + 140; ++v)
      w.add("ld.global.nc.f32", {v}, {}, TaskKind::load);
    for (tasklist::ValueId v = sums; v < sums + 140; ++v)
      w.add("mul.f32", {sums + 140}, {v});
    for (tasklist::ValueId v = 0; v < sums; ++v)
      w.add("st.global.f32", {}, {v}, TaskKind::store);
    return w;
  };
  configs::Gpu gpu = gpu_with_64_registers_a_thread();
  gpu.limits.register_allocation_unit = 256;
  gpu.limits.warp_allocation_granularity = 4;
  EXPECT_EQ(registers_of(sums_beside_loads(40), gpu), 64u);
  EXPECT_EQ(registers_of(sums_beside_loads(62), gpu), 72u);
  EXPECT_EQ(registers_of(sums_beside_loads(70), gpu), 80u);
}

// On an SM for 1,536 threads 42.7 registers a thread are 40.
TEST(Registers, of_full_occupancy_are_granted_whole) {
  configs::Gpu gpu = gpu_with_64_registers_a_thread();
  gpu.limits.register_allocation_unit = 256;
  gpu.limits.threads_per_sm = 1536;
  EXPECT_EQ(register_target(gpu), 40 - 4);
}

// On sm_90 a load waits for its first reader, and the value stays until the last.
TEST(Registers, of_sm_90_are_loaded_where_they_are_read_first) {
  configs::Gpu gpu = gpu_with_64_registers_a_thread();
  gpu.compute_capability_major = 9;
  const auto nothing = [](ListWriter&) {};
  ListWriter once = sums_of_loads("ld.global.f32", nothing);
  EXPECT_EQ(registers_of(once, gpu), 64u);
  for (tasklist::ValueId v = 0; v < 140; ++v)
    once.add("mul.f32", {141}, {v});
  EXPECT_GE(registers_of(once, gpu), 140u);
}

// 140 values, 60 registers: a quarter of what is beyond stays, (140 - 60 + 2) / 4 = 20, in a block of more
// than 4,096 operations.
TEST(Registers, long_blocks_are_not_put_in_the_order_of_fewest) {
  ListWriter w = values_needed_together(140);
  for (int i = 0; i < 4096 - 280; ++i)
    w.add("st.global.f32", {}, {}, TaskKind::store);
  EXPECT_EQ(registers_of(w, gpu_with_64_registers_a_thread()), 64u);
  w.add("st.global.f32", {}, {}, TaskKind::store);
  EXPECT_EQ(registers_of(w, gpu_with_64_registers_a_thread()), 60u + 20 + 4);
}

// 60 registers for values; up to a fifth more, 72, are saved.
TEST(Registers, of_sm_90_follow_the_texts_order) {
  configs::Gpu gpu = gpu_with_64_registers_a_thread();
  gpu.compute_capability_major = 9;
  EXPECT_EQ(registers_of(values_needed_together(72), gpu), 64u);
  EXPECT_EQ(registers_of(values_needed_together(73), gpu), 73u + 4);
  EXPECT_EQ(registers_of(values_needed_together(140), gpu), 140u + 4);
}

// A thread may have 255, and had: the quarter stays, (140 - 60 + 2) / 4 = 20.
TEST(Registers, code_that_took_all_it_may_have_had_no_better_order) {
  AnnotateOptions options;
  options.stated_registers = 255;
  EXPECT_EQ(registers_of(values_needed_together(140), gpu_with_64_registers_a_thread(), options),
            60u + 20 + 4);
}

TEST(Registers, sums_of_floating_point_numbers_cannot_be_freed) {
  EXPECT_EQ(
      registers_of(values_needed_together(140, ValueClass::b32, "mul.f32"), gpu_with_64_registers_a_thread()),
      140u + 4);
}

// Early loads need up to 24 registers at a time, the text's order 1.
TEST(Registers, loads_do_not_come_early_where_registers_are_too_few) {
  ListWriter w = loads_used_at_once();
  configs::Gpu gpu = gpu_with_slow_loads();
  const auto early = annotate(w.list, gpu);
  ASSERT_TRUE(early);
  EXPECT_GT(early->registers_estimated, 16u);
  w.list.max_registers = 8;
  const auto limited = annotate(w.list, gpu);
  ASSERT_TRUE(limited);
  EXPECT_LE(limited->registers_estimated, 8u);
  EXPECT_THAT(limited->assumptions, IsEmpty());
}

// The same with room for 16 registers a thread when all threads are resident.
TEST(Registers, loads_come_early_only_as_far_as_all_threads_can_be_resident) {
  ListWriter w = loads_used_at_once();
  configs::Gpu gpu = gpu_with_slow_loads();
  gpu.limits.threads_per_sm = 65536 / 16;
  EXPECT_EQ(registers_of(w, gpu), 16u);
}

// 20 sums are kept besides, more than the 12 values of full occupancy; with 32 registers, of which 28 are for
// values, half as many threads are resident as with 16, and fewer do not fit.
TEST(Registers, loads_beside_many_values_take_what_the_occupancy_leaves) {
  ListWriter w;
  for (tasklist::ValueId v = 0; v < 20; ++v)
    w.add("mul.f32", {40 + v}, {});
  w.list.blocks.back().successors = {1};
  w.block({2});
  for (tasklist::ValueId v = 0; v < 30; ++v) {
    w.add("ld.global.f32", {v}, {}, TaskKind::load);
    w.add("st.shared.f32", {}, {v}, TaskKind::store);
  }
  w.block();
  for (tasklist::ValueId v = 0; v < 20; ++v)
    w.add("st.global.f32", {}, {40 + v}, TaskKind::store);
  w.list.target = "sm_75";
  configs::Gpu gpu = gpu_with_slow_loads();
  gpu.limits.threads_per_sm = 65536 / 16;
  gpu.limits.warp_allocation_granularity = 64;
  EXPECT_EQ(registers_of(w, gpu), 32u);
}

} // namespace
} // namespace kerncast::machine::testing
