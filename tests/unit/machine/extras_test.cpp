// What the compiler adds beside the PTX: constants in registers, convergence, entry code, slow paths.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::Space;
using tasklist::TaskKind;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

TEST(Constants, the_second_of_an_operation_needs_a_register_once) {
  ListWriter w = ptx_list();
  w.add("add.s32", {1}, {0});
  w.add("add.s32", {2}, {1});
  give_constants(w, 0, {"4", "c[16]"});
  give_constants(w, 1, {"4", "c[20]"});
  const auto program = annotate(w.list, gpu_with({"constant.b32"}));
  ASSERT_TRUE(program);
  // The register that holds the 4, and two additions.
  ASSERT_EQ(program->ops.size(), 3u);
  EXPECT_EQ(program->ops[0].latency, 3);
  EXPECT_THAT(waits_for(*program, 1), ElementsAre(0));
  EXPECT_THAT(waits_for(*program, 2), ElementsAre(0, 1));
}

TEST(Constants, one_or_a_zero_is_an_operand) {
  ListWriter w = ptx_list();
  w.add("add.s32", {1}, {0});
  give_constants(w, 0, {"0", "c[16]"});
  const auto program = annotate(w.list, gpu_with({"constant.b32"}));
  ASSERT_TRUE(program);
  EXPECT_EQ(program->ops.size(), 1u);
}

TEST(Constants, stored_data_lies_in_registers) {
  ListWriter w = ptx_list();
  w.add("st.global.u32", {}, {0}, TaskKind::store);
  give_constants(w, 0, {"7"});
  const auto program = annotate(w.list, gpu_with({"constant.b32"}));
  ASSERT_TRUE(program);
  EXPECT_EQ(program->ops.size(), 2u);
}

// LDS [imm] has no register; LDG needs the address, of 64 bits.
TEST(Constants, the_place_of_a_variable_needs_registers_in_global_memory_alone) {
  const auto gpu = gpu_with({"constant.b32", "constant.b64"});
  const auto operations = [&](Space space) {
    ListWriter w = ptx_list();
    w.add("st.u32", {}, {0}, TaskKind::store).space = space;
    give_constants(w, 0, {"table"});
    return annotate(w.list, gpu)->ops.size();
  };
  EXPECT_EQ(operations(Space::shared), 1u);
  EXPECT_EQ(operations(Space::global), 2u);
}

// A lane's part of a matrix is found once for the matrices a constant apart: address and stride are the same.
TEST(Matrices, at_constant_distances_share_the_place_of_a_lane) {
  ListWriter w = ptx_list();
  const char* load = "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16";
  w.add(load, {2}, {0, 1}, TaskKind::load);
  w.add(load, {3}, {0, 1}, TaskKind::load);
  w.add(load, {4}, {9, 1}, TaskKind::load); // at another address
  w.add("add.s32", {0}, {0, 1});            // that moves on
  w.add(load, {5}, {0, 1}, TaskKind::load);
  const auto program = annotate(w.list, gpu_with({"wmma.load", "matrix.place.shared"}));
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), UnorderedElementsAre(0, 0, 1, 2, 2, 3, 4, 4));
}

TEST(Matrices, that_are_stored_have_a_place_whatever_is_stored) {
  ListWriter w = ptx_list();
  const char* store = "wmma.store.d.sync.aligned.row.m16n16k16.global.f32";
  w.add(store, {}, {0, 2, 3, 1}, TaskKind::store).access_bytes = 8;
  w.add(store, {}, {0, 4, 5, 1}, TaskKind::store).access_bytes = 8;
  w.add(store, {}, {0, 4, 5, 6}, TaskKind::store).access_bytes = 8; // of another stride
  const auto program = annotate(w.list, gpu_with({"wmma.store", "matrix.place.global"}));
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 0, 1, 2, 2));
}

// The data of a store are neither address nor stride.
TEST(Matrices, that_are_stored_without_a_stride_share_their_place) {
  ListWriter w = ptx_list();
  const char* store = "wmma.store.d.sync.aligned.row.m16n16k16.global.f32";
  w.add(store, {}, {0, 2, 3}, TaskKind::store).access_bytes = 8;
  w.add(store, {}, {0, 4, 5}, TaskKind::store).access_bytes = 8;
  const auto program = annotate(w.list, gpu_with({"wmma.store", "matrix.place.global"}));
  ASSERT_TRUE(program);
  EXPECT_THAT(tasks_of(*program), ElementsAre(0, 0, 1));
}

// A load from a parameter's address, and a store: the address lies in R2 and R3 with the value in R5, or in
// uniform registers: one value and four.
TEST(Constants, uniform_addresses_take_no_register_of_the_thread) {
  ListWriter w = ptx_list();
  w.add("ld.global.u32", {1}, {}, TaskKind::load).space = Space::global;
  w.add("st.global.u32", {}, {1}, TaskKind::store).space = Space::global;
  give_constants(w, 0, {"c[0]"});
  give_constants(w, 1, {"c[0]"});
  const auto in_vector = annotate(w.list, gpu_with({"constant.b32", "constant.b64"}));
  const auto in_uniform =
      annotate(w.list, gpu_with({"constant.b32", "constant.b64", "constant.uniform.b64"}));
  ASSERT_TRUE(in_vector && in_uniform);
  EXPECT_EQ(in_vector->registers_estimated, 8u);
  EXPECT_EQ(in_uniform->registers_estimated, 5u);
}

// A store's parameter beside an address is what it stores; one more than that and the data is a base.
TEST(Constants, of_a_store_are_data_beside_an_address) {
  const auto registers = [](const std::vector<std::string>& constants,
                            const std::vector<tasklist::ValueId>& uses) {
    ListWriter w = ptx_list();
    w.add("add.s64", {0}, {});
    w.add("add.s32", {1}, {});
    w.add("st.global.u32", {}, uses, TaskKind::store);
    w.list.value_classes[0] = tasklist::ValueClass::b64;
    give_constants(w, 2, constants);
    configs::Gpu gpu = gpu_with({"constant.b32", "constant.b64", "constant.uniform.b64", "add.s64"});
    AnnotateOptions options;
    options.uniform_bases = false;
    return annotate(w.list, gpu, options)->registers_estimated;
  };
  EXPECT_EQ(registers({"c[8]"}, {0}), registers({"7"}, {0}));
  EXPECT_EQ(registers({"c[8]"}, {0, 1}), registers({"0"}, {0, 1}));
}

TEST(Constants, of_a_loop_are_loaded_in_front_of_it) {
  ListWriter w = ptx_list();
  w.block({1});
  w.add("add.s32", {1}, {0});
  w.block({1, 2});
  w.add("st.global.u32", {}, {1}, TaskKind::store);
  w.add("bra", {}, {}, TaskKind::branch);
  w.block();
  w.add("ret", {}, {}, TaskKind::exit);
  w.list.loops = {{.header = 1, .blocks = {1}}};
  give_constants(w, 1, {"7"});
  const auto program = annotate(w.list, gpu_with({"constant.b32"}));
  ASSERT_TRUE(program);
  EXPECT_EQ(program->blocks[0].op_count, 2u);
  EXPECT_EQ(program->blocks[1].op_count, 2u);
}

// Three parameters that a loop multiplies by: loaded, they stay in registers, unless a loop is around that
// one; moves are made again.
TEST(Constants, of_an_innermost_loop_stay_in_registers_if_they_are_loaded) {
  const auto registers = [](double latency, bool is_nested) {
    ListWriter w = ptx_list();
    w.block({1});
    w.add("add.s32", {0}, {});
    w.block({1, 2});
    for (const std::string constant : {"c[16]", "c[20]", "c[24]"}) {
      w.add("mul.f32", {0}, {0});
      give_constants(w, w.list.tasks.size() - 1, {constant});
    }
    w.add("bra", {}, {}, TaskKind::branch);
    w.block();
    w.add("st.global.u32", {}, {0}, TaskKind::store);
    w.add("ret", {}, {}, TaskKind::exit);
    w.list.loops = {{.header = 1, .blocks = {1}}};
    if (is_nested)
      w.list.loops.push_back({.header = 1, .parent = 0, .blocks = {}});
    auto rows = tiny_rows();
    rows.push_back(row({"constant", "b32"}, {on(alu, 3)}));
    rows.push_back(row({"constant", "bank"}, {on(alu, latency)}));
    return annotate(w.list, tiny_gpu(rows))->registers_estimated;
  };
  EXPECT_EQ(registers(20, false), 7u); // R0 and, beside the stack pointer in R1, R2 to R4; and 2
  EXPECT_EQ(registers(20, true), 5u);
  EXPECT_EQ(registers(3, false), 5u);
}

// Too many additions for if-conversion.
ListWriter branch_on(const std::string& source) { return skipping("add.s32", 21, source); }

TEST(Convergence, lanes_that_branch_apart_are_gathered_at_the_join) {
  const auto gpu = gpu_with({"converge.begin", "converge.end"});
  const auto apart = annotate(branch_on("mov.u32.special.tid.x").list, gpu);
  const auto together = annotate(branch_on("mov.u32.special.ctaid.x").list, gpu);
  ASSERT_TRUE(apart && together);
  EXPECT_EQ(apart->blocks[0].op_count, together->blocks[0].op_count + 1);
  EXPECT_EQ(apart->blocks[1].op_count, together->blocks[1].op_count);
  EXPECT_EQ(apart->blocks[2].op_count, together->blocks[2].op_count + 1);
}

TEST(Entry, begins_the_kernel_and_knows_whether_memory_is_accessed) {
  ListWriter w = ptx_list();
  w.add("add.s32", {1}, {0});
  const auto gpu = gpu_with({"entry", "entry.memory"});
  EXPECT_EQ(annotate(w.list, gpu)->ops.size(), 2u);
  w.add("ld.global.u32", {2}, {1}, TaskKind::load);
  EXPECT_EQ(annotate(w.list, gpu)->ops.size(), 4u);
}

TEST(Extras, can_be_left_out) {
  ListWriter w = ptx_list();
  w.add("add.s32", {1}, {0});
  AnnotateOptions options;
  ASSERT_TRUE(leave_out(options, "extras"));
  EXPECT_EQ(annotate(w.list, gpu_with({"entry"}), options)->ops.size(), 1u);
}

// Two divisions: 2 x 1 executed, 2 x 3 around the slow path, the routine's 10 once; each executes 4 of the
// routine's that the code has once only.
TEST(SlowPaths, are_code_and_not_time) {
  auto rows = tiny_rows();
  configs::IsaRow division = row({"div", "rn", "f32"}, {on(alu, 9), on(alu, 9, true, 4)});
  division.rare = {on(alu, 1, false, 3)};
  division.called = {on(alu, 1, false, 4)};
  division.routine = "slow";
  rows.push_back(division);
  rows.push_back(row({"routine", "slow"}, {on(alu, 1, false, 10)}));
  ListWriter w = ptx_list();
  w.add("div.rn.f32", {1}, {0});
  w.add("div.rn.f32", {2}, {1});
  const auto program = annotate(w.list, tiny_gpu(rows));
  ASSERT_TRUE(program);
  EXPECT_EQ(program->ops.size(), 10u);
  EXPECT_EQ(program->static_instructions(), 10u + 2 * 3 + 10 - 2 * 4);
}

} // namespace
} // namespace kerncast::machine::testing
