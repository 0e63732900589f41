// Addresses of constant memory in 32 bits.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::Space;
using tasklist::TaskKind;
using tasklist::ValueClass;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Two operations for what has 64 bits.
configs::Gpu gpu_of_64_bit_sums() {
  configs::Gpu gpu = tiny_gpu();
  auto table = std::make_shared<configs::IsaTable>(*gpu.isa);
  table->rows.push_back(row({"add", "s64"}, {on(alu, 6), on(alu, 6)}));
  table->rows.push_back(row({"shl", "b64"}, {on(alu, 6), on(alu, 6)}));
  table->rows.push_back(row({"shl", "b32"}, {on(alu, 6)}));
  table->rows.push_back(row({"cvt"}, {on(alu, 6)}));
  gpu.isa = table;
  return gpu;
}

std::vector<std::uint32_t> narrowed(const ListWriter& w, const std::vector<std::string_view>& without = {}) {
  return tasks_on(gpu_of_64_bit_sums(), w, without);
}

// table[%0]: conversion, distance, sum, load.
ListWriter element(Space space) {
  ListWriter w = ptx_list();
  w.add("cvt.s64.s32", {1}, {0});
  w.add("shl.b64", {2}, {1});
  w.add("add.s64", {3}, {2});
  give_constants(w, 2, {"table"});
  w.add("ld.u32", {4}, {3}, TaskKind::load).space = space;
  for (const tasklist::ValueId v : {1, 2, 3})
    w.list.value_classes[v] = ValueClass::b64;
  return w;
}

// One operation for the distance, and the table's place is in the load.
TEST(NarrowAddresses, are_those_of_constant_memory) {
  EXPECT_THAT(narrowed(element(Space::constant)), ElementsAre(1, 3));
  EXPECT_THAT(narrowed(element(Space::constant), {"narrowing"}), ElementsAre(1, 1, 2, 2, 3));
  EXPECT_THAT(narrowed(element(Space::global)), ElementsAre(1, 1, 2, 2, 3));
}

TEST(NarrowAddresses, are_wide_where_something_else_reads_them) {
  ListWriter w = element(Space::constant);
  w.add("st.global.u64", {}, {3}, TaskKind::store);
  EXPECT_EQ(narrowed(w), narrowed(w, {"narrowing"}));
}

// The other load adds another place to the narrow distance.
TEST(NarrowAddresses, two_variables_share_a_distance) {
  ListWriter w = element(Space::constant);
  w.add("add.s64", {5}, {2});
  give_constants(w, 4, {"other"});
  w.add("ld.u32", {6}, {5}, TaskKind::load).space = Space::constant;
  w.list.value_classes[5] = ValueClass::b64;
  EXPECT_THAT(narrowed(w), ElementsAre(1, 3, 5));
}

// A sum that two loads read is computed, and so is one with a parameter.
TEST(NarrowAddresses, keep_sums_that_are_no_part_of_one_load) {
  ListWriter twice = element(Space::constant);
  twice.add("ld.u32", {5}, {3}, TaskKind::load).space = Space::constant;
  EXPECT_THAT(narrowed(twice), ElementsAre(1, 2, 3, 4));
  ListWriter parameter = element(Space::constant);
  give_constants(parameter, 2, {"c[8]"});
  EXPECT_THAT(narrowed(parameter), ElementsAre(1, 2, 3));
}

// A chain: each load finds the next offset, and each sum is part of its load, unless the offset is another by
// then.
TEST(NarrowAddresses, of_a_chain_are_offsets) {
  const auto chain = [](bool is_changed) {
    ListWriter w = ptx_list();
    w.add("ld.u64", {0}, {}, TaskKind::load);
    for (int i = 0; i < 2; ++i) {
      w.add("add.s64", {static_cast<tasklist::ValueId>(1 + i)}, {0});
      give_constants(w, w.list.tasks.size() - 1, {"table"});
      if (is_changed)
        w.add("add.s64", {0}, {0});
      w.add("ld.u64", {0}, {static_cast<tasklist::ValueId>(1 + i)}, TaskKind::load).space = Space::constant;
    }
    w.list.value_classes.assign(3, ValueClass::b64);
    return w;
  };
  EXPECT_THAT(narrowed(chain(false)), ElementsAre(0, 2, 4));
  EXPECT_EQ(narrowed(chain(true)).size(), 9u);
}

// The load in front of the sum reads that of the trip before.
TEST(NarrowAddresses, of_the_next_trip_are_sums) {
  ListWriter w = ptx_list();
  w.block({1});
  w.add("add.s64", {1}, {});
  w.block({1, 2});
  w.add("ld.u32", {2}, {3}, TaskKind::load).space = Space::constant;
  w.add("cvt.s64.s32", {1}, {2});
  w.add("add.s64", {3}, {1});
  give_constants(w, 3, {"table"});
  w.add("bra", {}, {4}, TaskKind::branch).predicated = true;
  w.block();
  w.add("ret", {}, {}, TaskKind::exit);
  w.list.value_classes = {ValueClass::b32, ValueClass::b64, ValueClass::b32, ValueClass::b64,
                          ValueClass::predicate};
  w.list.loops = {{.header = 1, .blocks = {1}}};
  EXPECT_THAT(narrowed(w), ::testing::Contains(3));
}

// The pointer steps around the loop: both of its writers have 32 bits.
TEST(NarrowAddresses, step_around_loops) {
  ListWriter w = ptx_list();
  w.block({1});
  w.add("add.s64", {0}, {});
  w.block({1, 2});
  w.add("ld.u32", {1}, {0}, TaskKind::load).space = Space::constant;
  w.add("add.s64", {0}, {0});
  give_constants(w, 2, {"4"});
  w.add("bra", {}, {2}, TaskKind::branch).predicated = true;
  w.block();
  w.add("ret", {}, {}, TaskKind::exit);
  w.list.value_classes = {ValueClass::b64, ValueClass::b32, ValueClass::predicate};
  w.list.loops = {{.header = 1, .blocks = {1}}};
  EXPECT_THAT(narrowed(w), UnorderedElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(narrowed(w, {"narrowing"}), UnorderedElementsAre(0, 0, 1, 2, 2, 3, 4));
}

// Of a difference that is cut to 32 bits nobody computes more; it is stored whole otherwise.
TEST(NarrowAddresses, what_is_cut_in_the_end_is_narrow_from_the_start) {
  const auto difference = [](bool is_stored_whole) {
    ListWriter w = ptx_list();
    w.add("add.s64", {2}, {0});
    w.add("cvt.u32.u64", {3}, {2});
    w.add("st.u32", {}, {3}, TaskKind::store);
    if (is_stored_whole)
      w.add("st.u64", {}, {2}, TaskKind::store);
    w.list.value_classes = {ValueClass::b64, ValueClass::b64, ValueClass::b64, ValueClass::b32};
    return w;
  };
  const auto of_sum = [](const std::vector<std::uint32_t>& tasks) { return std::ranges::count(tasks, 0U); };
  EXPECT_EQ(of_sum(narrowed(difference(false))), 1);
  EXPECT_EQ(of_sum(narrowed(difference(true))), 2);
}

} // namespace
} // namespace kerncast::machine::testing
