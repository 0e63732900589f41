// The accesses of a launch in the order of its machine code, and where a warp waits between them.
#include <gmock/gmock.h>

#include "hit_rates/issued_source.h"
#include "synthetic_launch.h"

namespace kerncast::hit_rates {
namespace {

using configs::SchedulerPolicy;
using machine::MachineOp;
using machine::OpKind;
using tasklist::TaskKind;
using ::testing::ElementsAre;
using Slots = std::vector<std::uint16_t>;

// Operations in the order of the code; slots stand for registers.
class Code {
public:
  machine::MachineProgram program;

  Code() { program.slot_count = 8; }
  Code& load(tasklist::TaskId task, std::uint16_t into, tasklist::Space space = tasklist::Space::global) {
    return access(TaskKind::load, task, space, {}, {into});
  }
  Code& store(tasklist::TaskId task, const Slots& of = {}) {
    return access(TaskKind::store, task, tasklist::Space::global, of, {});
  }
  Code& use(std::uint16_t slot) { return add({}, {slot}, {}); }
  Code& synchronize(OpKind kind) {
    MachineOp op;
    op.kind = kind;
    return add(op, {}, {});
  }
  // Ends a block.
  Code& end() {
    const auto end = static_cast<std::uint32_t>(program.ops.size());
    program.blocks.push_back({begin_, end - begin_});
    begin_ = end;
    return *this;
  }
  // Of the trip of a group that is numbered so, whose trips have so many accesses.
  Code& in_trip(std::uint16_t trip, std::uint16_t accesses) {
    accesses_before_ = static_cast<std::uint16_t>(trip * accesses);
    return *this;
  }

private:
  Code& access(TaskKind kind, tasklist::TaskId task, tasklist::Space space, const Slots& sources,
               const Slots& destinations) {
    MachineOp op;
    op.kind = OpKind::memory;
    op.task_kind = kind;
    op.space = space;
    op.task = task;
    op.access = static_cast<std::uint16_t>(accesses_before_ + task);
    return add(op, sources, destinations);
  }
  Code& add(MachineOp op, const Slots& sources, const Slots& destinations) {
    op.sources = put(sources);
    op.destinations = put(destinations);
    program.ops.push_back(op);
    return *this;
  }
  tasklist::Range put(const Slots& slots) {
    const auto begin = static_cast<std::uint32_t>(program.slots.size());
    program.slots.insert(program.slots.end(), slots.begin(), slots.end());
    return {begin, static_cast<std::uint32_t>(slots.size())};
  }

  std::uint32_t begin_ = 0;
  std::uint16_t accesses_before_ = 0;
};

// Tasks as issued, a warp's turns apart: "0 1 | 2".
std::string issued(const Code& code, const tasklist::Tasklist& list,
                   const std::vector<tasklist::TaskId>& tasks,
                   SchedulerPolicy scheduler = SchedulerPolicy::gto) {
  std::vector<Access> accesses;
  for (const tasklist::TaskId task : tasks)
    accesses.push_back({task, 0});
  const auto source = as_issued(std::make_unique<SyntheticSource>([&](std::uint64_t) { return accesses; }),
                                list, code.program, scheduler);
  std::string text;
  const tasklist::PlacedTrace placed = source->cta(0);
  for (const tasklist::TracedAccess& traced : placed.trace->accesses)
    text += (text.empty() ? "" : traced.follows ? " " : " | ") + std::to_string(traced.task);
  return text;
}

tasklist::Tasklist two_loads_and_stores() {
  return list_of({"ld.global.f32", "st.global.f32", "ld.global.f32", "st.global.f32"});
}

TEST(IssueOrder, a_warp_goes_on_until_it_needs_what_it_loaded) {
  const Code in_order = Code().load(0, 1).store(1, {1}).load(2, 2).store(3, {2}).end();
  EXPECT_EQ(issued(in_order, two_loads_and_stores(), {0, 1, 2, 3}), "0 | 1 2 | 3");
  const Code unused = Code().load(0, 1).store(1).load(2, 2).store(3).end();
  EXPECT_EQ(issued(unused, two_loads_and_stores(), {0, 1, 2, 3}), "0 1 2 3");
}

TEST(IssueOrder, is_that_of_the_code) {
  const Code loads_first = Code().load(0, 1).load(2, 2).store(1, {1}).store(3, {2}).end();
  EXPECT_EQ(issued(loads_first, two_loads_and_stores(), {0, 1, 2, 3}), "0 2 | 1 3");
  // Also where a guard leaves some out, whose data nobody waits for.
  EXPECT_EQ(issued(loads_first, two_loads_and_stores(), {1, 2}), "2 1");
}

TEST(IssueOrder, a_use_between_accesses_and_an_overwritten_register_are_waited_for) {
  const Code used = Code().load(0, 1).use(1).store(1).load(2, 2).store(3).end();
  EXPECT_EQ(issued(used, two_loads_and_stores(), {0, 1, 2, 3}), "0 | 1 2 3");
  const Code overwritten = Code().load(0, 1).store(1).load(2, 1).store(3).end();
  EXPECT_EQ(issued(overwritten, two_loads_and_stores(), {0, 1, 2, 3}), "0 1 | 2 3");
}

// The warps of a CTA arrive at a barrier soon after each other.
TEST(IssueOrder, a_fence_ends_a_turn_and_a_barrier_does_not) {
  const auto with = [](OpKind kind) {
    return issued(Code().load(0, 1).store(1).synchronize(kind).load(2, 2).store(3).end(),
                  two_loads_and_stores(), {0, 1, 2, 3});
  };
  EXPECT_EQ(with(OpKind::fence), "0 1 | 2 3");
  EXPECT_EQ(with(OpKind::barrier), "0 1 2 3");
}

// Loads from shared memory are in no trace; constants are, but come soon.
TEST(IssueOrder, data_of_shared_memory_are_waited_for_and_constants_are_not) {
  using enum tasklist::Space;
  const tasklist::Tasklist list = list_of({"ld.const.f32", "st.global.f32", "st.global.f32"});
  EXPECT_EQ(issued(Code().load(0, 1, constant).store(1, {1}).store(2).end(), list, {0, 1, 2}), "0 1 2");
  EXPECT_EQ(
      issued(Code().load(0, 1, constant).store(1).load(0, 3, shared).store(2, {3}).end(), list, {0, 1, 2}),
      "0 1 | 2");
}

// Each row of a copy is an access; a copy that no operation does comes behind what was in front of it.
TEST(IssueOrder, rows_of_a_copy_and_what_no_operation_does_keep_their_places) {
  const tasklist::Tasklist list =
      list_of({"cp.async.bulk.tensor.2d", "st.global.f32", "ld.global.f32", "st.global.f32"});
  EXPECT_EQ(issued(Code().load(2, 1).load(0, 2).store(1).store(3).end(), list, {0, 0, 0, 1, 2, 3}),
            "2 0 0 0 1 3");
  EXPECT_EQ(issued(Code().load(0, 2).store(1).store(3).end(), list, {0, 1, 2, 3}), "0 1 2 3");
}

// What one trip of a loop loads, the next one uses: first of all, or behind its own load.
TEST(IssueOrder, what_a_trip_left_the_next_one_waits_for) {
  tasklist::Tasklist list = list_of({"ld.global.f32"});
  list.blocks.front().successors = {0};
  EXPECT_EQ(issued(Code().use(1).load(0, 1).end(), list, {0, 0, 0}), "0 | 0 | 0");
  EXPECT_EQ(issued(Code().load(0, 2).end(), list, {0, 0, 0}), "0 | 0 | 0"); // overwrites it
  tasklist::Tasklist stores = list_of({"st.global.f32"});
  stores.blocks.front().successors = {0};
  EXPECT_EQ(issued(Code().store(0).end(), stores, {0, 0, 0}), "0 0 0");
}

// A value that is loaded in front of a loop is waited for in its first trip only, with loops around it too.
TEST(IssueOrder, what_was_loaded_in_front_of_a_loop_is_waited_for_once) {
  tasklist::Tasklist list = list_of({"ld.global.f32", "st.global.f32"});
  list.tasks[1].access = 0;
  list.blocks = {{.first_task = 0, .task_count = 1, .successors = {1}},
                 {.first_task = 1, .task_count = 1, .successors = {1, 0}}};
  Code code = Code().load(0, 1).end().store(1, {1}).end();
  code.program.ops.back().access = 0;
  EXPECT_EQ(issued(code, list, {0, 1, 1, 1, 0, 1, 1}), "0 | 1 1 1 0 | 1 1");
}

// A block without accesses between the load and the next access needs the value, or does not.
TEST(IssueOrder, waiting_in_a_block_between_counts) {
  tasklist::Tasklist list = list_of({"ld.global.f32", "st.global.f32"});
  list.tasks[1].access = 0;
  list.blocks = {{.first_task = 0, .task_count = 1, .successors = {1}},
                 {.first_task = 1, .task_count = 0, .successors = {2}},
                 {.first_task = 1, .task_count = 1}};
  const auto store = [](Code code) {
    machine::MachineProgram& program = code.store(1).end().program;
    program.ops.back().access = 0;
    return code;
  };
  EXPECT_EQ(issued(store(Code().load(0, 1).end().use(1).end()), list, {0, 1}), "0 | 1");
  EXPECT_EQ(issued(store(Code().load(0, 1).end().use(2).end()), list, {0, 1}), "0 1");
}

// Two trips are one piece of code with both loads in front; of five trips the last one is alone.
TEST(IssueOrder, trips_that_the_code_has_side_by_side_are_issued_together) {
  tasklist::Tasklist list = list_of({"ld.global.f32", "st.global.f32"});
  list.blocks.front().successors = {0};
  Code code;
  code.load(0, 1).store(1, {1}).end();
  code.load(0, 1).in_trip(1, 2).load(0, 2);
  code.in_trip(0, 2).store(1, {1}).in_trip(1, 2).store(1, {2}).end();
  code.program.trip_groups = {{.trip = 0, .group = 1, .trips = 2, .accesses = 2}};
  EXPECT_EQ(issued(code, list, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1}), "0 0 | 1 1 0 0 | 1 1 0 | 1");
}

TEST(IssueOrder, a_scheduler_that_goes_round_lets_others_in) {
  const Code code = Code().load(0, 1).load(2, 2).store(1).store(3).end();
  EXPECT_EQ(issued(code, two_loads_and_stores(), {0, 1, 2, 3}, SchedulerPolicy::lrr), "0 | 2 | 1 | 3");
  for (const SchedulerPolicy policy :
       {SchedulerPolicy::oldest, SchedulerPolicy::two_level, SchedulerPolicy::gty})
    EXPECT_EQ(issued(code, two_loads_and_stores(), {0, 1, 2, 3}, policy), "0 2 1 3");
}

// 128 warps each load a line past L1 twice: L2 has 64 lines.
TEST(Turns, what_a_warp_does_without_a_break_no_other_displaces) {
  tasklist::Tasklist list = list_of({"ld.global.cg.f32", "ld.global.cg.f32"});
  configs::Gpu gpu = small_gpu();
  const auto l2_of = [&](std::uint16_t second) {
    const Code code = Code().load(0, 1).load(1, second).end();
    const auto source = as_issued(std::make_unique<SyntheticSource>([](std::uint64_t cta) {
                                    return std::vector<Access>{{0, cta}, {1, cta}};
                                  }),
                                  list, code.program, SchedulerPolicy::gto);
    tasklist::Launch launch;
    launch.grid.x = 128;
    launch.block.x = tasklist::lanes_per_warp;
    return DeviceCaches(gpu, {}).run({*source, list, launch, 128}).rates.l2;
  };
  EXPECT_DOUBLE_EQ(l2_of(2), 0.5);
  EXPECT_DOUBLE_EQ(l2_of(1), 0); // waits for the first
}

// What else is between them does not matter.
TEST(IssueOrder, equal_orders_have_equal_texts) {
  const tasklist::Tasklist list = two_loads_and_stores();
  const auto text = [&](Code code) { return text_of_order(list, code.end().program); };
  EXPECT_EQ(text(Code().load(0, 1).store(1, {1})), text(Code().use(2).load(0, 1).use(2).store(1, {1})));
  EXPECT_NE(text(Code().load(0, 1).store(1, {1})), text(Code().load(0, 1).store(1)));
  EXPECT_NE(text(Code().load(0, 1).store(1)), text(Code().store(1).load(0, 1)));
  EXPECT_NE(text(Code().load(0, 1).use(1).store(1)), text(Code().load(0, 1).store(1).use(1)));
}

} // namespace
} // namespace kerncast::hit_rates
