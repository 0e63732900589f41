// The order that list scheduling gives to the operations of a block.
#include <algorithm>

#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;
using ::testing::ElementsAre;

std::vector<std::uint32_t> order_of(ListWriter& w, const AnnotateOptions& options = {},
                                    double l1_latency = 28) {
  w.list.target = "sm_75";
  std::vector<configs::IsaRow> rows = tiny_rows();
  rows.push_back(row({"shfl"}, {on(lsu, 23)}));
  rows.push_back(row({"nanosleep"}, {on(alu, 6)}));
  rows.push_back(row({"barrier"}, {on(alu, 6)}));
  rows.push_back(row({"mov", "special"}, {on(alu, 6)}));
  rows.push_back(row({"red"}, {on(alu, 6), on(lsu, 0)}));
  rows.back().loop = configs::SwapLoop::once;
  for (const char* const access : {"sust", "suld", "tex"})
    rows.push_back(row({access}, {on(lsu, 30)}));
  configs::Gpu gpu = tiny_gpu(rows);
  gpu.l1.latency = l1_latency;
  gpu.shared.latency = 19;
  const auto program = annotate(w.list, gpu, options);
  EXPECT_TRUE(program);
  return program ? tasks_of(*program) : std::vector<std::uint32_t>{};
}

// Two times load and use.
ListWriter two_loads() {
  ListWriter w;
  w.add("ld.global.f32", {0}, {}, TaskKind::load);
  w.add("add.s32", {1}, {0});
  w.add("ld.global.f32", {2}, {}, TaskKind::load);
  w.add("add.s32", {3}, {2});
  return w;
}

TEST(Schedule, loads_come_before_the_use_of_the_first) {
  ListWriter w = two_loads();
  EXPECT_THAT(order_of(w), ElementsAre(0, 2, 1, 3));
}

TEST(Schedule, can_be_switched_off) {
  ListWriter w = two_loads();
  EXPECT_THAT(order_of(w, {.assume_unknown = {}, .schedule = false}), ElementsAre(0, 1, 2, 3));
}

TEST(Schedule, lists_without_a_target_keep_their_order) {
  const auto program = annotate(two_loads().list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 1, 2, 3));
}

// A chain of three additions (18 cycles) beside a single one.
TEST(Schedule, the_longest_chain_goes_first) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("add.s32", {1}, {});
  w.add("add.s32", {2}, {1});
  w.add("add.s32", {3}, {2});
  EXPECT_THAT(order_of(w), ElementsAre(1, 0, 2, 3));
}

// What `load` reads after a barrier that follows a store.
ListWriter store_barrier_load(const std::string& barrier, TaskKind kind, const std::string& load) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("st.shared.f32", {}, {0}, TaskKind::store);
  w.add(barrier, {}, {}, kind);
  w.add(load, {1}, {}, TaskKind::load);
  return w;
}

TEST(Schedule, loads_stay_behind_a_barrier) {
  ListWriter of_cta = store_barrier_load("bar.sync", TaskKind::barrier, "ld.shared.f32");
  EXPECT_THAT(order_of(of_cta), ElementsAre(0, 1, 2, 3));
  ListWriter of_warp = store_barrier_load("bar.warp.sync", TaskKind::warp_sync, "ld.global.f32");
  EXPECT_THAT(order_of(of_warp), ElementsAre(0, 1, 2, 3));
}

TEST(Schedule, loads_of_what_nobody_writes_pass_a_barrier) {
  ListWriter of_cta = store_barrier_load("bar.sync", TaskKind::barrier, "ld.global.nc.f32");
  EXPECT_THAT(order_of(of_cta), ElementsAre(3, 0, 1, 2));
  ListWriter of_warp = store_barrier_load("bar.warp.sync", TaskKind::warp_sync, "ld.global.nc.f32");
  EXPECT_THAT(order_of(of_warp), ElementsAre(3, 0, 1, 2));
}

TEST(Schedule, nothing_passes_a_barrier_of_a_cluster) {
  ListWriter w = store_barrier_load("barrier.cluster.wait", TaskKind::barrier, "ld.global.nc.f32");
  EXPECT_THAT(order_of(w), ElementsAre(0, 1, 2, 3));
}

TEST(Schedule, readings_of_clocks_stay_between_barriers) {
  ListWriter w = store_barrier_load("bar.sync", TaskKind::barrier, "ld.shared.f32");
  w.add("bar.sync", {}, {}, TaskKind::barrier);
  w.add("mov.u64.special.clock64", {2}, {});
  w.add("add.s32", {3}, {2});
  EXPECT_THAT(order_of(w), ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST(Schedule, nothing_passes_an_atomic_operation_that_is_a_loop) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("add.s32", {1}, {0});
  w.add("red.shared.add.f32", {}, {0}, TaskKind::reduction).space = tasklist::Space::shared;
  w.add("ld.global.nc.f32", {3}, {}, TaskKind::load);
  EXPECT_THAT(order_of(w), ElementsAre(0, 1, 2, 2, 3));
}

// Of the additions in front only one is stored before the barrier; what nobody waits for comes last.
TEST(Schedule, arithmetic_passes_a_barrier) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("add.s32", {1}, {0});
  w.add("bar.sync", {}, {}, TaskKind::barrier);
  w.add("ld.shared.f32", {2}, {}, TaskKind::load);
  EXPECT_THAT(order_of(w), ElementsAre(2, 3, 0, 1));
}

TEST(Schedule, loads_stay_behind_a_fence) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("membar.gl", {}, {}, TaskKind::fence);
  w.add("ld.global.f32", {1}, {}, TaskKind::load);
  EXPECT_THAT(order_of(w), ElementsAre(0, 1, 2));
}

ListWriter store_then_load(const std::string& load) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("add.s32", {1}, {0});
  w.add("st.global.f32", {}, {1}, TaskKind::store);
  w.add(load, {2}, {}, TaskKind::load);
  return w;
}

TEST(Schedule, a_load_stays_behind_a_store_that_may_be_to_its_address) {
  ListWriter w = store_then_load("ld.global.f32");
  EXPECT_THAT(order_of(w), ElementsAre(0, 1, 2, 3));
}

// The store of four bytes, then a load of four bytes with that base, `offset` behind it.
ListWriter store_then_load_at(std::uint32_t offset) {
  ListWriter w = store_then_load("ld.global.f32");
  for (const std::size_t access : {2, 3})
    w.list.tasks[access].base = 5;
  w.list.tasks[2].offset = 8;
  w.list.tasks[3].offset = offset;
  return w;
}

TEST(Schedule, a_load_passes_a_store_that_lies_a_known_distance_away) {
  for (const std::uint32_t apart : {0, 4, 12}) {
    ListWriter w = store_then_load_at(apart);
    EXPECT_THAT(order_of(w), ElementsAre(3, 0, 1, 2)) << apart;
  }
  for (const std::uint32_t overlapping : {5, 8, 11}) {
    ListWriter w = store_then_load_at(overlapping);
    EXPECT_THAT(order_of(w), ElementsAre(0, 1, 2, 3)) << overlapping;
  }
}

TEST(Schedule, distances_from_other_bases_tell_nothing) {
  ListWriter w = store_then_load_at(12);
  w.list.tasks[3].base = 6;
  EXPECT_THAT(order_of(w), ElementsAre(0, 1, 2, 3));
}

// A store to who knows where in between keeps the load back, whatever it knows about the first one.
TEST(Schedule, a_store_to_anywhere_lets_nothing_pass) {
  ListWriter w = store_then_load_at(12);
  w.add("st.global.f32", {}, {1}, TaskKind::store);
  w.add("ld.global.f32", {3}, {}, TaskKind::load);
  w.list.tasks[5].base = 5;
  EXPECT_THAT(order_of(w), ElementsAre(0, 3, 1, 2, 4, 5));
}

TEST(Schedule, a_load_of_another_state_space_passes_the_store) {
  ListWriter w = store_then_load("ld.shared.f32");
  EXPECT_THAT(order_of(w), ElementsAre(3, 0, 1, 2));
}

TEST(Schedule, a_generic_load_may_be_of_any_state_space) {
  ListWriter w = store_then_load("ld.f32");
  w.list.tasks[3].space = tasklist::Space::generic;
  EXPECT_THAT(order_of(w), ElementsAre(0, 1, 2, 3));
}

TEST(Schedule, a_non_coherent_load_passes_the_store) {
  ListWriter w = store_then_load("ld.global.nc.f32");
  EXPECT_THAT(order_of(w), ElementsAre(3, 0, 1, 2));
}

ListWriter volatile_accesses_then(const std::string& load) {
  ListWriter w;
  w.add("ld.volatile.shared.f32", {0}, {}, TaskKind::load);
  w.add("add.s32", {1}, {0});
  w.add("st.volatile.shared.f32", {}, {1}, TaskKind::store);
  w.add(load, {2}, {}, TaskKind::load);
  return w;
}

TEST(Schedule, no_access_passes_a_volatile_one) {
  ListWriter w = volatile_accesses_then("ld.global.f32");
  EXPECT_THAT(order_of(w), ElementsAre(0, 1, 2, 3));
}

TEST(Schedule, loads_of_what_nobody_writes_pass_a_volatile_access) {
  ListWriter w = volatile_accesses_then("ld.global.nc.f32");
  EXPECT_THAT(order_of(w), ElementsAre(3, 0, 1, 2));
}

TEST(Schedule, nothing_passes_an_acquiring_load) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("ld.acquire.gpu.global.u32", {1}, {}, TaskKind::load);
  w.add("ld.global.nc.f32", {2}, {}, TaskKind::load);
  EXPECT_THAT(order_of(w), ElementsAre(0, 1, 2));
}

TEST(Schedule, nothing_passes_an_operation_with_effects_of_its_own) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("nanosleep.u32", {}, {0});
  w.add("ld.global.f32", {2}, {}, TaskKind::load);
  EXPECT_THAT(order_of(w), ElementsAre(0, 1, 2));
}

TEST(Schedule, shuffles_keep_their_order_and_let_loads_pass) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("shfl.sync.down.b32", {1}, {0}, TaskKind::warp_sync);
  w.add("shfl.sync.down.b32", {2}, {}, TaskKind::warp_sync);
  w.add("ld.global.f32", {3}, {}, TaskKind::load);
  EXPECT_THAT(order_of(w), ElementsAre(0, 3, 1, 2));
}

TEST(Schedule, the_branch_stays_last) {
  ListWriter w;
  w.add("setp.s32", {0}, {});
  w.add("ld.global.f32", {1}, {}, TaskKind::load);
  w.add("add.s32", {2}, {1});
  w.add("bra", {}, {0}, TaskKind::branch);
  EXPECT_THAT(order_of(w), ElementsAre(1, 0, 2, 3));
}

// A register written again after its reader must not be written before it.
TEST(Schedule, a_second_value_of_a_register_waits_for_the_readers_of_the_first) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("add.s32", {1}, {0});
  w.add("ld.global.f32", {0}, {}, TaskKind::load);
  w.add("add.s32", {2}, {0});
  EXPECT_THAT(order_of(w), ElementsAre(0, 1, 2, 3));
}

// How many loads of 60 pairs of load and use go ahead of their uses at most.
std::uint32_t most_ahead(double l1_latency) {
  ListWriter w;
  for (tasklist::ValueId i = 0; i < 60; ++i) {
    w.add("ld.global.f32", {2 * i}, {}, TaskKind::load);
    w.add("add.s32", {2 * i + 1}, {2 * i});
  }
  std::uint32_t ahead = 0, most = 0;
  for (const std::uint32_t task : order_of(w, {}, l1_latency)) {
    ahead = task % 2 == 0 ? ahead + 1 : ahead - 1;
    most = std::max(most, ahead);
  }
  return most;
}

// A load takes its unit for 4 cycles and answers after 30 + 28: 15 of them go ahead of the first use.
TEST(Schedule, loads_go_ahead_for_as_long_as_the_first_takes) { EXPECT_EQ(most_ahead(28), 15u); }

// After 430 cycles 108 would; when the window holds only uses (48 of them wait), no further load is seen.
TEST(Schedule, at_most_a_window_of_operations_waits) { EXPECT_EQ(most_ahead(400), 48u); }

// Four additions and four loads, each two cycles on its unit: they alternate, an operation a cycle.
TEST(Schedule, operations_of_two_units_take_turns) {
  ListWriter w;
  for (tasklist::ValueId i = 0; i < 8; ++i)
    w.add(i < 4 ? "add.s32" : "ld.global.f32", {i}, {}, i < 4 ? TaskKind::compute : TaskKind::load);
  EXPECT_THAT(order_of(w), ElementsAre(4, 0, 5, 1, 6, 2, 7, 3));
}

// Each value is stored before the next one is loaded: the next load's address is computed while the first one
// is under way, those of the stores when their data comes.
TEST(Schedule, addresses_of_stores_are_computed_just_before_them) {
  ListWriter w;
  w.add("ld.shared.f32", {0}, {}, TaskKind::load);
  w.add("ld.global.f32", {1}, {}, TaskKind::load);
  w.add("add.s32", {2}, {0});
  w.add("st.global.f32", {}, {2, 1}, TaskKind::store);
  w.add("add.s32", {3}, {0});
  w.add("ld.global.f32", {4}, {3}, TaskKind::load);
  w.add("add.s32", {5}, {0});
  w.add("st.global.f32", {}, {5, 4}, TaskKind::store);
  EXPECT_THAT(order_of(w, {}, 100), ElementsAre(1, 0, 4, 2, 3, 5, 6, 7));
}

// Nobody in the block reads the counter: its step waits for the end of the chain.
TEST(Schedule, results_for_other_blocks_come_last) {
  ListWriter w;
  w.add("add.s32", {0}, {0});
  w.add("ld.global.f32", {1}, {}, TaskKind::load);
  for (tasklist::ValueId v = 2; v < 6; ++v)
    w.add("add.s32", {v}, {v - 1});
  w.add("st.global.f32", {}, {5}, TaskKind::store);
  EXPECT_THAT(order_of(w), ElementsAre(1, 2, 3, 4, 0, 5, 6));
}

// Ten loads whose addresses take three additions of six cycles each, one after the other: the time is filled
// with the additions for a few loads, and the first load does not wait for those of the last one.
TEST(Schedule, one_load_s_address_is_done_before_those_of_far_ones_begin) {
  ListWriter w;
  for (tasklist::ValueId load = 0; load < 10; ++load) {
    const tasklist::ValueId v = 4 * load;
    w.add("add.s32", {v}, {});
    w.add("add.s32", {v + 1}, {v});
    w.add("add.s32", {v + 2}, {v + 1});
    w.add("ld.global.f32", {v + 3}, {v + 2}, TaskKind::load);
  }
  const std::vector<std::uint32_t> order = order_of(w);
  const auto place = [&](std::uint32_t task) { return std::ranges::find(order, task) - order.begin(); };
  EXPECT_LT(place(3), place(4 * 9));
}

// The load leaves the constant in its register where it does not execute. Its address takes two additions.
TEST(Schedule, what_a_guarded_load_leaves_comes_just_before_it) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("add.s32", {1}, {5});
  w.add("add.s32", {2}, {1});
  w.add("ld.global.f32", {0}, {2, 0}, TaskKind::load);
  w.add("st.global.f32", {}, {0}, TaskKind::store);
  EXPECT_THAT(order_of(w), ElementsAre(1, 2, 0, 3, 4));
}

// The constant is moved into a register for the sum, not while the load is under way.
TEST(Schedule, constants_come_just_before_their_readers) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("ld.global.f32", {1}, {}, TaskKind::load);
  w.add("add.s32", {2}, {1});
  w.add("add.s32", {3}, {2, 0});
  w.add("ld.global.f32", {4}, {3}, TaskKind::load);
  EXPECT_THAT(order_of(w), ElementsAre(1, 0, 2, 3, 4));
}

// They may be of one surface. Textures are not written.
TEST(Schedule, a_load_of_a_surface_stays_behind_the_store) {
  const auto order = [](const std::string& load) {
    ListWriter w;
    w.add("sust.b.1d", {}, {0}, TaskKind::store).space = tasklist::Space::texture;
    w.add(load, {1}, {}, TaskKind::load).space = tasklist::Space::texture;
    w.add("add.s32", {2}, {1});
    return order_of(w);
  };
  EXPECT_THAT(order("suld.b.1d"), ElementsAre(0, 1, 2));
  EXPECT_THAT(order("tex.1d"), ElementsAre(1, 2, 0));
}

// A move under a guard stays; where the table has IMAD.MOV, moves take the two pipes in turn.
TEST(Schedule, register_moves_take_the_pipe_that_is_free) {
  ListWriter w;
  w.list.target = "sm_75";
  for (tasklist::ValueId i = 0; i < 4; ++i)
    w.add("mov.u32", {i}, {4, 5}).predicated = true;
  const auto units = [&](const std::vector<configs::IsaRow>& rows) {
    const auto program = annotate(w.list, tiny_gpu(rows));
    std::vector<std::uint16_t> found;
    for (const MachineOp& op : program->ops)
      found.push_back(op.unit);
    return found;
  };
  std::vector<configs::IsaRow> rows = tiny_rows();
  EXPECT_THAT(units(rows), ElementsAre(alu, alu, alu, alu));
  rows.push_back(row({"mov", "imad"}, {on(fpu, 6)}));
  EXPECT_THAT(units(rows), ElementsAre(alu, fpu, alu, fpu));
}

// Those of one PTX line under guards, which choose among an array's elements, are shared out: of eight with
// nothing else around 0.37 each go to the other pipe.
TEST(Schedule, moves_that_choose_among_elements_go_to_the_other_pipe_less_often) {
  ListWriter w;
  w.list.target = "sm_75";
  for (tasklist::ValueId i = 0; i < 8; ++i) {
    tasklist::Task& move = w.add("mov.u32", {i}, {8, 9});
    move.predicated = true;
    move.line = 7;
  }
  std::vector<configs::IsaRow> rows = tiny_rows();
  rows.push_back(row({"mov", "imad"}, {on(fpu, 6)}));
  const auto program = annotate(w.list, tiny_gpu(rows));
  ASSERT_TRUE(program);
  std::vector<std::uint16_t> units;
  for (const MachineOp& op : program->ops)
    units.push_back(op.unit);
  EXPECT_THAT(units, ElementsAre(alu, alu, fpu, alu, alu, fpu, alu, alu));
}

} // namespace
} // namespace kerncast::machine::testing
