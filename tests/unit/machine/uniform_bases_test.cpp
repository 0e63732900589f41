// Accesses that add a base in uniform registers to their address.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;
using ::testing::ElementsAre;

// Two operations for a sum of addresses, one that loads a base into uniform registers.
configs::Gpu gpu_with_uniform_bases() {
  configs::Gpu gpu = gpu_with({"constant.b32", "constant.b64", "constant.uniform.b64"});
  auto table = std::make_shared<configs::IsaTable>(*gpu.isa);
  table->rows.push_back(row({"add", "s64"}, {on(alu, 6), on(alu, 6)}));
  table->rows.push_back(row({"cvt"}, {on(alu, 6)}));
  table->rows.push_back(row({"atom"}, {on(lsu, 30)}));
  gpu.isa = table;
  return gpu;
}

// %1 is the offset; sums of it and the base c[0] follow.
ListWriter offset() {
  ListWriter w = ptx_list();
  w.add("cvt.s64.s32", {1}, {0});
  return w;
}

void add_sum(ListWriter& w, tasklist::ValueId sum, const std::string& base) {
  w.add("add.s64", {sum}, {1});
  give_constants(w, w.list.tasks.size() - 1, {base});
}

std::vector<std::uint32_t> with_bases(const ListWriter& w,
                                      const std::vector<std::string_view>& without = {}) {
  return tasks_on(gpu_with_uniform_bases(), w, without);
}

// The conversion, the base of the load (before it), the load; else the sum's two operations.
TEST(UniformBases, are_part_of_a_load) {
  ListWriter w = offset();
  add_sum(w, 2, "c[0]");
  w.add("ld.global.u32", {3}, {2}, TaskKind::load);
  EXPECT_THAT(with_bases(w), ElementsAre(0, 2, 2));
  EXPECT_THAT(with_bases(w, {"bases"}), ElementsAre(0, 1, 1, 2));
}

TEST(UniformBases, stay_sums_that_loads_and_stores_have_in_common) {
  ListWriter w = offset();
  add_sum(w, 2, "c[0]");
  w.add("ld.global.u32", {3}, {2}, TaskKind::load);
  w.add("st.global.u32", {}, {2, 3}, TaskKind::store);
  EXPECT_EQ(with_bases(w), with_bases(w, {"bases"}));
}

// Then the offset lies in registers of its own anyway.
TEST(UniformBases, are_part_of_loads_and_stores_whose_offset_other_bases_have_in_common) {
  ListWriter w = offset();
  add_sum(w, 2, "c[0]");
  add_sum(w, 3, "c[8]");
  w.add("ld.global.u32", {4}, {2}, TaskKind::load);
  w.add("st.global.u32", {}, {2, 4}, TaskKind::store);
  w.add("st.global.u32", {}, {3, 4}, TaskKind::store);
  const auto with = with_bases(w);
  EXPECT_EQ(std::ranges::count(with, 1u) + std::ranges::count(with, 2u), 0);
}

TEST(UniformBases, stay_sums_that_are_more_than_addresses) {
  ListWriter stored = offset();
  add_sum(stored, 2, "c[0]");
  stored.add("ld.global.u32", {3}, {2}, TaskKind::load);
  stored.add("st.global.u64", {}, {3, 2}, TaskKind::store);
  EXPECT_EQ(with_bases(stored), with_bases(stored, {"bases"}));
  ListWriter atomic = offset();
  add_sum(atomic, 2, "c[0]");
  auto& task = atomic.add("atom.global.add.u32", {3}, {2, 0}, TaskKind::atomic);
  task.space = tasklist::Space::global;
  task.access_bytes = 4;
  task.access = 0;
  atomic.add("mul.f32", {4}, {3});
  EXPECT_EQ(with_bases(atomic), with_bases(atomic, {"bases"}));
}

// A task names each value once; where a parameter is the address, the sum is data.
TEST(UniformBases, stay_sums_that_are_stored) {
  ListWriter at_itself = offset();
  add_sum(at_itself, 2, "c[0]");
  at_itself.add("st.global.u64", {}, {2}, TaskKind::store);
  EXPECT_EQ(with_bases(at_itself), with_bases(at_itself, {"bases"}));
  ListWriter at_parameter = offset();
  add_sum(at_parameter, 2, "c[0]");
  at_parameter.add("st.global.u64", {}, {2}, TaskKind::store);
  give_constants(at_parameter, 2, {"c[8]"});
  EXPECT_EQ(with_bases(at_parameter), with_bases(at_parameter, {"bases"}));
}

TEST(UniformBases, of_several_blocks_stay_sums) {
  ListWriter w = ptx_list();
  w.block({1});
  w.add("cvt.s64.s32", {1}, {0});
  add_sum(w, 2, "c[0]");
  w.add("ld.global.u32", {3}, {2}, TaskKind::load);
  w.block();
  w.add("ld.global.u32", {4}, {2}, TaskKind::load);
  EXPECT_EQ(with_bases(w), with_bases(w, {"bases"}));
}

// Without the row that says that addresses lie in uniform registers there is no such access.
TEST(UniformBases, need_the_row) {
  ListWriter w = offset();
  add_sum(w, 2, "c[0]");
  w.add("ld.global.u32", {3}, {2}, TaskKind::load);
  auto rows = tiny_rows();
  rows.push_back(row({"add", "s64"}, {on(alu, 6), on(alu, 6)}));
  rows.push_back(row({"cvt"}, {on(alu, 6)}));
  const auto program = annotate(w.list, tiny_gpu(rows));
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 1, 1, 2));
}

} // namespace
} // namespace kerncast::machine::testing
