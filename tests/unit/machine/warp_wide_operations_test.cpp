// What the compiler makes of operations that all lanes of a warp do together.
#include <algorithm>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::Space;
using tasklist::TaskKind;
using tasklist::ValueClass;

std::vector<configs::IsaRow> rows_of_warps() {
  auto rows = tiny_rows();
  rows.push_back(row({"atom"}, {on(lsu, 0)}));
  rows.push_back(row({"red"}, {on(lsu, 0)}));
  rows.push_back(row({"cp", "reduce"}, {on(lsu, 0)}));
  rows.push_back(row({"multimem"}, {on(lsu, 0)}));
  rows.push_back(row({"mov", "special"}, {on(alu, 6)}));
  rows.push_back(row({"aggregated", "red", "add"}, {on(alu, 6, false, 10), on(lsu, 0)}));
  rows.push_back(row({"aggregated", "constant", "red", "add"}, {on(alu, 6, false, 20), on(lsu, 0)}));
  rows.push_back(row({"shfl"}, {on(lsu, 30)}));
  rows.push_back(row({"activemask"}, {on(alu, 6)}));
  rows.push_back(row({"masked", "shfl"}, {on(alu, 6, false, 7), on(lsu, 30)}));
  rows.push_back(row({"masked", "again", "shfl"}, {on(alu, 6, false, 3), on(lsu, 30)}));
  return rows;
}

// Lane (value 0), a value that lanes have different ones of (1), an address that they share (2).
ListWriter lanes() {
  ListWriter w = ptx_list();
  w.add("mov.u32.special.tid.x", {0}, {});
  w.add("add.s32", {1}, {0});
  w.add("and.b64", {2}, {});
  w.list.value_classes[2] = ValueClass::b64;
  return w;
}

tasklist::Task& add_atomic(ListWriter& w, const std::string& operation,
                           const std::vector<tasklist::ValueId>& uses, tasklist::ValueId result) {
  tasklist::Task& task = w.add(operation, {result}, uses, TaskKind::atomic);
  task.space = Space::global;
  task.access_bytes = 4;
  return task;
}

std::uint64_t instructions(const ListWriter& w, const std::vector<std::string>& left_out = {}) {
  AnnotateOptions options;
  options.extras = false;
  for (const std::string& pass : left_out)
    EXPECT_TRUE(leave_out(options, pass));
  const auto program = annotate(w.list, tiny_gpu(rows_of_warps()), options);
  EXPECT_TRUE(program);
  return program ? program->static_instructions() : 0;
}

constexpr std::uint64_t before = 4; // operations of lanes(): and.b64 is two

TEST(ReducedAtomics, an_old_value_that_nobody_reads_is_not_returned) {
  ListWriter w = lanes();
  w.add("and.b64", {4}, {0});
  w.list.value_classes[4] = ValueClass::b64;
  add_atomic(w, "atom.global.add.u32", {4, 1}, 3);
  const auto program = annotate(w.list, tiny_gpu(rows_of_warps()));
  ASSERT_TRUE(program);
  EXPECT_EQ(program->ops.back().task_kind, TaskKind::reduction);
  EXPECT_EQ(program->ops.back().destinations.count, 0u);
}

TEST(ReducedAtomics, an_exchange_has_no_such_form) {
  ListWriter w = lanes();
  add_atomic(w, "atom.global.exch.b32", {2, 1}, 3);
  const auto program = annotate(w.list, tiny_gpu(rows_of_warps()));
  ASSERT_TRUE(program);
  EXPECT_EQ(program->ops.back().task_kind, TaskKind::atomic);
}

TEST(AggregatedAtomics, one_lane_adds_the_sum_of_all) {
  ListWriter w = lanes();
  add_atomic(w, "atom.global.add.u32", {2, 1}, 3);
  EXPECT_EQ(instructions(w), before + 11);
  EXPECT_EQ(instructions(w, {"aggregation"}), before + 1);
}

TEST(AggregatedAtomics, addresses_of_lanes_stay_apart) {
  ListWriter w = lanes();
  w.add("and.b64", {4}, {0});
  w.list.value_classes[4] = ValueClass::b64;
  add_atomic(w, "atom.global.add.u32", {4, 1}, 3);
  EXPECT_EQ(instructions(w), before + 2 + 1);
}

TEST(AggregatedAtomics, floats_are_not_summed_in_another_order) {
  ListWriter w = lanes();
  add_atomic(w, "atom.global.add.f32", {2, 1}, 3);
  EXPECT_EQ(instructions(w), before + 1);
}

// What one thread starts for many elements is not summed with what other lanes start.
TEST(AggregatedAtomics, bulk_and_signalling_reductions_are_none) {
  for (const char* operation : {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32",
                                "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32",
                                "red.async.relaxed.cluster.add.mbarrier::complete_tx::bytes.u32"}) {
    ListWriter w = lanes();
    w.add(operation, {}, {2, 1}, TaskKind::reduction).space = Space::global;
    EXPECT_EQ(instructions(w), before + 1) << operation;
  }
}

// The first counts the lanes, the second one multiplies by the count.
TEST(AggregatedAtomics, equal_numbers_are_counted_once) {
  ListWriter w = lanes();
  add_atomic(w, "atom.global.add.u32", {2}, 3);
  add_atomic(w, "atom.global.add.u32", {2}, 4);
  EXPECT_EQ(instructions(w), before + 21 + 1);
}

ListWriter shuffles(const std::string& mask_operation) {
  ListWriter w = lanes();
  w.add(mask_operation, {3}, {});
  w.add("shfl.sync.bfly.b32", {1}, {1, 3}, TaskKind::warp_sync);
  w.add("shfl.sync.bfly.b32", {1}, {1, 3}, TaskKind::warp_sync);
  return w;
}

// The mask, then 8 operations and 4 for lanes that have met.
TEST(ComputedMasks, lanes_meet_before_the_first_operation) {
  EXPECT_EQ(instructions(shuffles("add.s32")), before + 1 + 8 + 4);
  EXPECT_EQ(instructions(shuffles("add.s32"), {"masks"}), before + 1 + 1 + 1);
}

TEST(ComputedMasks, active_lanes_are_together) {
  EXPECT_EQ(instructions(shuffles("activemask.b32")), before + 1 + 1 + 1);
}

TEST(ComputedMasks, all_lanes_need_not_meet) {
  ListWriter w = lanes();
  w.list.constants = {"-1"};
  w.list.constant_pool = {0};
  w.add("shfl.sync.bfly.b32", {1}, {1}, TaskKind::warp_sync).constants = {0, 1};
  EXPECT_EQ(instructions(w), before + 1);
}

configs::IsaRow loop(std::vector<std::string> tokens, configs::SwapLoop trips) {
  configs::IsaRow r = row(std::move(tokens), {on(lsu, 30), on(fpu, 6), on(alu, 4), on(lsu, 0)});
  r.loop = trips;
  return r;
}

configs::Gpu gpu_with_loops() {
  auto rows = rows_of_warps();
  rows.push_back(loop({"atom", "shared", "add", "f32"}, configs::SwapLoop::lanes));
  rows.push_back(loop({"red", "shared", "add", "f32"}, configs::SwapLoop::lanes));
  rows.push_back(loop({"red", "shared", "min", "f32"}, configs::SwapLoop::once));
  configs::Gpu gpu = tiny_gpu(rows);
  gpu.shared.latency = 24;
  return gpu;
}

std::optional<MachineProgram> with_atomic(const std::string& operation, Space space) {
  ListWriter w = lanes();
  add_atomic(w, operation, {2, 1}, 3).space = space;
  w.add("bar.sync", {}, {}, TaskKind::barrier);
  AnnotateOptions options;
  options.extras = false;
  auto program = annotate(w.list, gpu_with_loops(), options);
  EXPECT_TRUE(program);
  return program ? std::optional(std::move(*program)) : std::nullopt;
}

double trip_cycles(const std::string& operation, Space space) {
  double cycles = 0;
  if (const auto program = with_atomic(operation, space))
    for (const MachineOp& op : program->ops)
      cycles += op.trip_cycles;
  return cycles;
}

// A load, an addition and a way back from a compare-and-swap: 30 + 6 + 4 cycles and the 24 of the swap.
TEST(LoopsOfSharedMemory, take_so_long_for_each_trip) {
  EXPECT_EQ(trip_cycles("atom.shared.add.f32", Space::shared), 30 + 6 + 4 + 24);
  EXPECT_EQ(trip_cycles("atom.shared.add.u32", Space::shared), 0);
  EXPECT_EQ(trip_cycles("atom.global.add.f32", Space::global), 0);
}

// Nobody reads the old value, but the warp branches back until its lanes have written theirs.
TEST(LoopsOfSharedMemory, keep_their_warp_from_going_on) {
  const auto program = with_atomic("atom.shared.add.f32", Space::shared);
  ASSERT_TRUE(program);
  const auto loop =
      std::ranges::find_if(program->ops, [](const MachineOp& op) { return op.trip_cycles > 0; });
  ASSERT_LT(loop, program->ops.end() - 1);
  EXPECT_EQ(loop->task_kind, TaskKind::reduction);
  EXPECT_TRUE(returns_data(*loop));
  EXPECT_EQ(program->sources(loop[1]).back(), program->destinations(*loop).back());
}

// Under a branch: what follows begins another block.
TEST(LoopsOfSharedMemory, keep_their_warp_from_going_on_behind_their_block) {
  ListWriter w = lanes();
  w.add("setp.lt.s32", {5}, {0, 1});
  w.list.value_classes[5] = ValueClass::predicate;
  w.add("bra", {}, {5}, TaskKind::branch).predicated = true;
  w.list.blocks.front().successors = {1, 2};
  w.block({2});
  add_atomic(w, "atom.shared.add.f32", {2, 1}, 3).space = Space::shared;
  w.block();
  w.add("bar.sync", {}, {}, TaskKind::barrier);
  AnnotateOptions options;
  options.extras = false;
  const auto program = annotate(w.list, gpu_with_loops(), options);
  ASSERT_TRUE(program);
  ASSERT_EQ(program->blocks.size(), 3u);
  const MachineOp& loop = program->ops[program->blocks[2].first_op - 1];
  EXPECT_GT(loop.trip_cycles, 0);
  const auto waits = program->sources(program->ops[program->blocks[2].first_op]);
  EXPECT_NE(std::ranges::find(waits, program->destinations(loop).back()), waits.end());
}

// A minimum goes round only while it would change the value.
TEST(LoopsOfSharedMemory, of_minima_count_as_one_trip) {
  EXPECT_EQ(trip_cycles("atom.shared.min.f32", Space::shared), 0);
}

} // namespace
} // namespace kerncast::machine::testing
