// An operation holds its unit at least until its operands are read.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;
using ::testing::ElementsAre;

// Values 0 to 6 exist; mul.f32 stands for operations of any number of operands. Lists without a target keep
// their order.
constexpr tasklist::ValueId defined = 7;

ListWriter with_values() {
  ListWriter w;
  for (tasklist::ValueId v = 0; v < defined; ++v)
    w.add("add.s32", {v}, {});
  return w;
}

// Of the operations behind the definitions.
std::vector<double> held(const ListWriter& w, double reads_per_cycle) {
  configs::Gpu gpu = tiny_gpu();
  gpu.register_reads_per_cycle = reads_per_cycle;
  const auto program = annotate(w.list, gpu);
  EXPECT_TRUE(program);
  std::vector<double> cycles;
  for (const MachineOp& op : std::span(program->ops).subspan(defined))
    cycles.push_back(held_cycles(op));
  return cycles;
}

TEST(RegisterReads, of_different_operands_take_their_time) {
  ListWriter w = with_values();
  w.add("mul.f32", {10}, {0, 1, 2});
  w.add("mul.f32", {11}, {3, 3, 4});
  w.add("mul.f32", {12}, {5});
  EXPECT_THAT(held(w, 0), ElementsAre(2, 2, 2));
  EXPECT_THAT(held(w, 1), ElementsAre(3, 2, 2));
  EXPECT_THAT(held(w, 0.5), ElementsAre(6, 4, 2));
}

TEST(RegisterReads, of_what_the_operation_before_has_read_are_free) {
  ListWriter w = with_values();
  w.add("mul.f32", {10}, {0, 1, 2});
  w.add("mul.f32", {11}, {1, 0, 3});
  w.add("mul.f32", {12}, {2, 4, 5}); // 2 is two operations ago
  EXPECT_THAT(held(w, 0.5), ElementsAre(6, 2, 6));
}

// A warp that waits for a value lets others go, which read other registers.
TEST(RegisterReads, of_what_was_read_before_a_wait_are_not_free) {
  ListWriter w = with_values();
  w.add("mul.f32", {10}, {0, 1, 2});
  w.add("mul.f32", {11}, {10, 1, 2});
  w.add("mul.f32", {12}, {3, 1, 2});
  EXPECT_THAT(held(w, 0.5), ElementsAre(6, 6, 2));
}

// Three registers in two banks are read in two cycles, as four are.
TEST(RegisterReads, take_whole_cycles) {
  ListWriter w = with_values();
  w.add("mul.f32", {10}, {4, 5, 6});
  w.add("mul.f32", {11}, {0, 1, 2, 3});
  w.add("mul.f32", {12}, {5, 6});
  w.add("mul.f32", {13}, {0, 1, 2, 3, 4});
  EXPECT_THAT(held(w, 2), ElementsAre(2, 2, 2, 3));
}

TEST(RegisterReads, of_predicates_and_of_accesses_are_not_counted) {
  ListWriter w = with_values();
  w.add("mul.f32", {10}, {0, 1, 2});
  w.add("st.global.f32", {}, {3, 4, 5, 6}, TaskKind::store);
  w.list.value_classes[1] = tasklist::ValueClass::predicate;
  EXPECT_THAT(held(w, 0.5), ElementsAre(4, 2));
}

} // namespace
} // namespace kerncast::machine::testing
