// Small counted loops have several copies of their body in the code; one of them executes.
#include <gtest/gtest.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;

std::vector<configs::IsaRow> rows_with_unrolling() {
  auto rows = tiny_rows();
  rows.push_back(row({"unroll", "checks"}, {on(alu, 6, false, 5)}));
  rows.push_back(row({"shfl"}, {on(lsu, 30)}));
  rows.push_back(row({"mov", "special"}, {on(lsu, 30)}));
  rows.push_back(row({"cp"}, {on(lsu, 30)}));
  return rows;
}

constexpr std::uint64_t around = 2; // mov and ret

struct LoopShape {
  std::uint32_t body = 1;     // additions to the sum, value 1
  std::string bound = "c[0]"; // what the counter, value 0, is compared with
  std::string extra = {};     // an operation on value 1 in the body
  bool no_unroll = false;
  std::uint32_t extras = 1;       // so many of them
  bool bound_is_computed = false; // in value 3
  std::string start = "mov.u32";  // of the counter
  // A load from value 4 and a store to value 6: of such a memory, and where that comes from in the body.
  std::string loads_from = {}, stores_to = {};
  bool store_steps = false;      // by a constant; else computed from the counter
  std::string stored = "loaded"; // or "counter", or "constant" at a 64-bit address
};

TaskKind kind_of(const std::string& operation) {
  const std::pair<std::string_view, TaskKind> kinds[] = {
      {"shfl", TaskKind::warp_sync},      {"ld.", TaskKind::load},     {"cp.async.cg", TaskKind::load},
      {"cp.async.wait", TaskKind::fence}, {"membar", TaskKind::fence}, {"bar", TaskKind::barrier}};
  for (const auto& [name, kind] : kinds)
    if (operation.starts_with(name))
      return kind;
  return TaskKind::compute;
}

void add_accesses(ListWriter& w, const LoopShape& shape) {
  if (!shape.loads_from.empty())
    w.add("ld." + shape.loads_from + ".u32", {5}, {4}, TaskKind::load);
  if (shape.stores_to.empty())
    return;
  if (shape.store_steps)
    w.add("add.s32", {6}, {6}).constants = {1, 1};
  else
    w.add("add.s32", {6}, {0});
  const std::string store = "st." + shape.stores_to + ".u32";
  if (shape.stored == "constant") {
    w.add(store, {}, {6}, TaskKind::store).constants = {1, 1};
    w.list.value_classes[6] = tasklist::ValueClass::b64;
  } else {
    w.add(store, {}, {6, shape.stored == "counter" ? 0U : 5U}, TaskKind::store);
  }
}

// mov counter, 0 (one operation); loop: body; add counter, 1; setp.lt; bra; then ret. One value for the sum.
tasklist::Tasklist counting(const LoopShape& shape) {
  ListWriter w = ptx_list();
  w.list.constants = {"0", "1", shape.bound};
  w.list.constant_pool = {0, 1, 2};
  w.block({1});
  w.add(shape.start, {0}, {}).constants = {0, 1};
  w.block({1, 2});
  w.list.blocks.back().no_unroll = shape.no_unroll;
  for (std::uint32_t i = 0; i < shape.body; ++i)
    w.add("add.s32", {1}, {1});
  for (std::uint32_t i = 0; i < shape.extras && !shape.extra.empty(); ++i)
    w.add(shape.extra, {1}, {1}, kind_of(shape.extra)).space =
        shape.extra.starts_with("ld.shared") ? tasklist::Space::shared : tasklist::Space::generic;
  add_accesses(w, shape);
  w.add("add.s32", {0}, {0}).constants = {1, 1};
  if (shape.bound_is_computed)
    w.add("setp.lt.s32", {2}, {0, 3});
  else
    w.add("setp.lt.s32", {2}, {0}).constants = {2, 1};
  w.list.value_classes[2] = tasklist::ValueClass::predicate;
  w.add("bra", {}, {2}, TaskKind::branch).predicated = true;
  w.block();
  w.add("ret", {}, {}, TaskKind::exit);
  w.list.loops = {{.header = 1, .parent = tasklist::no_id, .blocks = {1}}};
  return w.list;
}

std::uint64_t instructions(const LoopShape& shape, bool unroll = true) {
  AnnotateOptions options;
  options.extras = false;
  if (!unroll) {
    EXPECT_TRUE(leave_out(options, "unrolling"));
  }
  const auto program = annotate(counting(shape), tiny_gpu(rows_with_unrolling()), options);
  EXPECT_TRUE(program);
  return program ? program->static_instructions() : 0;
}

// mov, 1 addition, 3 operations that count, ret. Seven copies of the body, three loops that count, 5 checks.
TEST(Unrolling, unknown_trips_take_seven_copies_three_loops_and_checks) {
  EXPECT_EQ(instructions({}, false), 1u + 3 + around);
  EXPECT_EQ(instructions({}), 7u + 3 * 3 + around + 5);
}

// 18 additions and 3 that count are 21, the most without loads.
TEST(Unrolling, unknown_trips_up_to_21_operations) {
  EXPECT_EQ(instructions({.body = 18}), 7u * 18 + 3 * 3 + around + 5);
  EXPECT_EQ(instructions({.body = 19}), 19u + 3 + around);
}

// A load weighs two: 44 + 2 + 3 = 49.
TEST(Unrolling, unknown_trips_up_to_49_operations_with_a_load) {
  EXPECT_EQ(instructions({.body = 44, .extra = "ld.global.u32"}), 7u * 45 + 3 * 3 + around + 5);
  EXPECT_EQ(instructions({.body = 45, .extra = "ld.global.u32"}), 46u + 3 + around);
}

// Four elements from shared memory weigh eight and raise the limit by 20: 31 + 8 + 3 = 42. 20 of them may be
// in 100 operations, not in 122: 57 + 40 + 3.
TEST(Unrolling, unknown_trips_by_the_elements_of_vectors) {
  EXPECT_EQ(instructions({.body = 31, .extra = "ld.shared.v4.b32"}), 7u * 32 + 3 * 3 + around + 5);
  EXPECT_EQ(instructions({.body = 32, .extra = "ld.shared.v4.b32"}), 33u + 3 + around);
  EXPECT_EQ(instructions({.body = 57, .extra = "ld.shared.v4.b32", .extras = 5}),
            7u * 62 + 3 * 3 + around + 5);
  EXPECT_EQ(instructions({.body = 58, .extra = "ld.shared.v4.b32", .extras = 5}), 63u + 3 + around);
}

TEST(Unrolling, unknown_trips_with_barriers_up_to_a_parameter) {
  EXPECT_EQ(instructions({.bound_is_computed = true}), 7u + 3 * 3 + around + 5);
  EXPECT_EQ(instructions({.extra = "bar.sync"}), 7u * 2 + 3 * 3 + around + 5);
  EXPECT_EQ(instructions({.extra = "bar.sync", .bound_is_computed = true}), 2u + 3 + around);
}

// Lanes with trips of their own: what one of them writes another may read in the next trip.
TEST(Unrolling, not_where_lanes_have_their_own_trips_and_read_and_write_one_memory) {
  const auto is_unrolled = [](LoopShape shape) {
    shape.start = "mov.u32.special.tid.x";
    const std::uint64_t with = instructions(shape), without = instructions(shape, false);
    shape.start = "mov.u32.special.ctaid.x";
    EXPECT_GT(instructions(shape), instructions(shape, false));
    return with > without;
  };
  EXPECT_FALSE(is_unrolled({.loads_from = "global", .stores_to = "global"}));
  EXPECT_FALSE(is_unrolled({.loads_from = "shared", .stores_to = "shared"}));
  EXPECT_TRUE(is_unrolled({.loads_from = "global", .stores_to = "shared"}));
  EXPECT_TRUE(is_unrolled({.loads_from = "shared", .stores_to = "global"}));
  EXPECT_TRUE(is_unrolled({.loads_from = "global", .stores_to = "global", .stored = "counter"}));
  EXPECT_TRUE(is_unrolled({.loads_from = "global"}));
  EXPECT_TRUE(is_unrolled({.stores_to = "global"}));
  EXPECT_TRUE(is_unrolled({.loads_from = "global", .stores_to = "global", .store_steps = true}));
  EXPECT_FALSE(is_unrolled({.extra = "bar.sync"}));
}

// A copy weighs three and is no load: 15 + 3 + 3 = 21.
TEST(Unrolling, unknown_trips_up_to_21_operations_with_an_asynchronous_copy) {
  EXPECT_EQ(instructions({.body = 15, .extra = "cp.async.cg.shared"}), 7u * 16 + 3 * 3 + around + 5);
  EXPECT_EQ(instructions({.body = 16, .extra = "cp.async.cg.shared"}), 17u + 3 + around);
}

// Eight trips of two additions, and nothing is left to count, nor to start from.
TEST(Unrolling, a_short_constant_loop_is_unrolled_completely) {
  EXPECT_EQ(instructions({.body = 2, .bound = "8"}), 8u * 2 + 1);
}

// 1000 trips of 12 additions do not fit; 350 / 12 = 29 copies do: 27 at once leave 1, 28 and 29 leave more.
TEST(Unrolling, a_long_constant_loop_gets_as_many_copies_as_fit) {
  EXPECT_EQ(instructions({.body = 12, .bound = "1000"}), 28u * 12 + 3 + around);
}

TEST(Unrolling, not_where_the_pragma_forbids_it) {
  EXPECT_EQ(instructions({.no_unroll = true}), 1u + 3 + around);
}

TEST(Unrolling, not_with_operations_of_the_whole_warp) {
  EXPECT_EQ(instructions({.extra = "shfl.sync.bfly.b32"}), 2u + 3 + around);
}

TEST(Unrolling, not_with_fences_but_with_waits_for_copies) {
  EXPECT_EQ(instructions({.extra = "membar.gl"}), 2u + 3 + around);
  EXPECT_EQ(instructions({.extra = "cp.async.wait_group"}), 7u * 2 + 3 * 3 + around + 5);
}

TEST(Unrolling, not_with_slow_paths) {
  EXPECT_EQ(instructions({.extra = "div.full.f32"}), 7u * (1 + 5) + 3 * 3 + around + 5);
  EXPECT_EQ(instructions({.extra = "div.rn.f32"}), 1u + 5 + 3 + around);
}

// The distance of a trip is part of the store's address, whatever is stored.
TEST(Unrolling, steps_the_address_of_a_constant_store_once) {
  EXPECT_EQ(instructions({.stores_to = "global", .store_steps = true, .stored = "constant"}),
            7u * 2 + 3 * (3 + 1) + around + 5);
}

// Counter, comparison and branch are not executed where the loop has become straight code.
TEST(Unrolling, one_copy_executes) {
  AnnotateOptions options;
  options.extras = false;
  const auto unknown = annotate(counting({.body = 2}), tiny_gpu(rows_with_unrolling()), options);
  const auto constant =
      annotate(counting({.body = 2, .bound = "8"}), tiny_gpu(rows_with_unrolling()), options);
  ASSERT_TRUE(unknown && constant);
  EXPECT_EQ(unknown->blocks[1].op_count, 2u + 3);
  EXPECT_EQ(constant->blocks[1].op_count, 2u);
}

} // namespace
} // namespace kerncast::machine::testing
