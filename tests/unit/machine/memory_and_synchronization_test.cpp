// Memory, barrier, fence and exit tasks: what the engine is told about them.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::Space;
using tasklist::TaskKind;

TEST(MemoryTask, adds_no_latency_unless_the_row_states_one) {
  ListWriter w;
  w.add("ld.global.f32", {0}, {}, TaskKind::load);
  w.add("ld.shared.s8", {1}, {0}, TaskKind::load); // its access states 33
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  ASSERT_EQ(program->ops.size(), 3u);
  EXPECT_EQ(program->ops[0].latency, 0);
  EXPECT_EQ(program->ops[2].latency, 33);
}

TEST(MemoryTask, only_the_last_operation_is_the_access) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  w.add("ld.shared.s8", {1}, {0}, TaskKind::load);
  w.add("add.s32", {2}, {1});
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  ASSERT_EQ(program->ops.size(), 4u);
  const MachineOp& address = program->ops[1];
  EXPECT_EQ(address.kind, OpKind::compute);
  EXPECT_EQ(address.access, UINT16_MAX);
  const MachineOp& access = program->ops[2];
  EXPECT_EQ(access.kind, OpKind::memory);
  EXPECT_EQ(access.task_kind, TaskKind::load);
  EXPECT_EQ(access.space, Space::shared);
  EXPECT_EQ(access.access_bytes, 4);
  EXPECT_EQ(access.access, 0);
  EXPECT_EQ(access.unit, lsu);
  EXPECT_EQ(waits_for(*program, 3), std::set<std::uint32_t>{2});
}

TEST(MemoryTask, a_helper_beside_the_access_leaves_the_result_to_it) {
  std::vector<configs::IsaRow> rows = tiny_rows();
  rows.push_back(row({"ld", "global", "v4"}, {on(alu, 50), on(lsu, 30, true)}));
  ListWriter w;
  w.add("ld.global.v4.f32", {0}, {}, TaskKind::load);
  w.add("add.s32", {1}, {0});
  const auto program = annotate(w.list, tiny_gpu(rows));
  ASSERT_TRUE(program);
  ASSERT_EQ(program->ops.size(), 3u);
  const std::uint32_t access = program->ops[0].kind == OpKind::memory ? 0 : 1;
  EXPECT_EQ(waits_for(*program, 2), std::set<std::uint32_t>{access});
}

TEST(MemoryTask, parameter_loads_that_lowering_left_read_the_constant_bank) {
  std::vector<configs::IsaRow> rows = tiny_rows();
  rows.push_back(row({"ld", "param"}, {}));
  rows.push_back(row({"ld", "const"}, {on(fpu, 6)}));
  ListWriter w;
  w.add("ld.param.u64", {0}, {}, TaskKind::load).space = Space::param;
  const auto program = annotate(w.list, tiny_gpu(rows));
  ASSERT_TRUE(program);
  ASSERT_EQ(program->ops.size(), 1u);
  EXPECT_EQ(program->ops[0].kind, OpKind::memory);
  EXPECT_EQ(program->ops[0].space, Space::param);
  EXPECT_EQ(program->ops[0].unit, fpu);
}

TEST(Synchronization, barriers_fences_and_exits_are_known_by_their_kind) {
  ListWriter w;
  w.add("bar.sync", {}, {}, TaskKind::barrier);
  w.add("membar.gl", {}, {}, TaskKind::fence);
  w.add("bra", {}, {}, TaskKind::branch);
  w.add("ret", {}, {}, TaskKind::exit);
  const auto program = annotate(w.list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_EQ(program->ops[0].kind, OpKind::barrier);
  EXPECT_EQ(program->ops[1].kind, OpKind::fence);
  EXPECT_EQ(program->ops[2].kind, OpKind::compute);
  EXPECT_EQ(program->ops[3].kind, OpKind::exit);
}

TEST(Synchronization, a_row_must_not_make_a_barrier_vanish) {
  std::vector<configs::IsaRow> rows = tiny_rows();
  rows.push_back(row({"barrier"}, {}));
  ListWriter w;
  w.add("barrier.sync", {}, {}, TaskKind::barrier);
  const auto program = annotate(w.list, tiny_gpu(rows));
  ASSERT_FALSE(program);
  EXPECT_EQ(render(program.error()), "k.ptx:10:1: error: kernel 'k': the row for barrier 'barrier.sync' has "
                                     "no machine operation to wait at\n"
                                     "k.ptx:10:1: note: give the row at tiny.toml:7 one\n");
}

} // namespace
} // namespace kerncast::machine::testing
