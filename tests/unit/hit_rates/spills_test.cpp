// Spills are accesses to the warp's part of local memory, where the code has them.
#include <gmock/gmock.h>

#include "hit_rates/issued_source.h"
#include "synthetic_launch.h"

namespace kerncast::hit_rates {
namespace {

using tasklist::TaskKind;
using ::testing::ElementsAre;

const std::vector<std::string> load_and_store{"ld.global.f32", "st.global.f32"};
constexpr tasklist::TaskId own_load = 0, own_store = 1, spill_load = 2, spill_store = 3;

machine::MachineOp access(TaskKind kind, tasklist::TaskId task) {
  machine::MachineOp op;
  op.kind = machine::OpKind::memory;
  op.task_kind = kind;
  op.space = tasklist::Space::global;
  op.task = task;
  return op;
}

machine::MachineOp spill(TaskKind kind, std::uint32_t value) {
  machine::MachineOp op = access(kind, 0);
  op.space = tasklist::Space::local;
  op.is_spill = true;
  op.access_bytes = 4;
  op.frame_offset = 4 * value;
  return op;
}

// A load, `values` values that are stored and loaded again, and a store.
machine::MachineProgram program_with(std::uint32_t values) {
  machine::MachineProgram program;
  program.ops.push_back(access(TaskKind::load, own_load));
  for (const TaskKind kind : {TaskKind::store, TaskKind::load})
    for (std::uint32_t v = 0; v < values; ++v)
      program.ops.push_back(spill(kind, v));
  program.ops.push_back(access(TaskKind::store, own_store));
  program.blocks.push_back({0, static_cast<std::uint32_t>(program.ops.size())});
  program.spill_bytes = 4 * values;
  return program;
}

std::vector<tasklist::TaskId> tasks_of(const std::vector<Access>& accesses, std::uint32_t values) {
  const tasklist::Tasklist list = list_of(load_and_store);
  const auto source = as_issued(std::make_unique<SyntheticSource>([&](std::uint64_t) { return accesses; }),
                                list, program_with(values), configs::SchedulerPolicy::lrr);
  std::vector<tasklist::TaskId> tasks;
  const tasklist::PlacedTrace placed = source->cta(0);
  for (const tasklist::TracedAccess& traced : placed.trace->accesses)
    tasks.push_back(traced.task);
  return tasks;
}

TEST(IssuedSpills, HasTheSpillsBetweenTheAccessesOfTheCode) {
  EXPECT_THAT(tasks_of({{own_load, 0}, {own_store, 1}}, 1),
              ElementsAre(own_load, spill_store, spill_load, own_store));
}

// Back at the load, the warp passes what lies between it and the store once more.
TEST(IssuedSpills, HasThemInEveryTripOfALoop) {
  EXPECT_THAT(tasks_of({{own_load, 0}, {own_store, 1}, {own_load, 2}, {own_store, 3}}, 1),
              ElementsAre(own_load, spill_store, spill_load, own_store, own_load, spill_store, spill_load,
                          own_store));
}

TEST(IssuedSpills, AddsNothingWhereNothingIsSpilled) {
  EXPECT_THAT(tasks_of({{own_load, 0}, {own_store, 1}}, 0), ElementsAre(own_load, own_store));
}

// Of loads of spilled values; one SM with `warps` CTAs of a warp at once, each doing a load and a store.
memory_model::HitRates rates_of_spills(std::uint32_t values, std::uint32_t warps) {
  const machine::MachineProgram program = program_with(values);
  const tasklist::Tasklist list = list_of(load_and_store);
  const auto source = as_issued(std::make_unique<SyntheticSource>([](std::uint64_t cta) {
                                  return std::vector<Access>{{own_load, 2 * cta}, {own_store, 2 * cta + 1}};
                                }),
                                list, program, configs::SchedulerPolicy::lrr);
  const configs::Gpu gpu = [] {
    configs::Gpu small = small_gpu();
    small.l1_keeps_stores = true;
    return small;
  }();
  tasklist::Launch launch;
  launch.grid.x = warps;
  launch.block.x = tasklist::lanes_per_warp;
  DeviceCaches caches(gpu, {});
  return caches.run({*source, list, launch, warps, program.spill_bytes}).by_task[spill_load];
}

// A value of a warp takes a line, and each warp in turn does an access. Two warps' 6 values and the lines
// they load fit in 16 lines of L1, ten warps' 6 do not: each line is displaced before its turn, but stays in
// the 64 lines of L2. Twelve warps' 8 values fit in neither.
TEST(SpilledValues, AreFoundWhereAllOfThemFit) {
  EXPECT_EQ(rates_of_spills(6, 2).l1, 1);
  EXPECT_EQ(rates_of_spills(6, 8).l1, 0);
  EXPECT_EQ(rates_of_spills(6, 8).l2, 1);
  EXPECT_EQ(rates_of_spills(8, 12).l2, 0);
}

} // namespace
} // namespace kerncast::hit_rates
