// Kind, space, bytes per lane and access number of every memory instruction.
#include "lower_ptx.h"

namespace kerncast::lowering {
namespace {

using tasklist::Space;
using tasklist::Task;
using tasklist::TaskKind;

struct Case {
  const char* instruction;
  TaskKind kind;
  Space space;
  int bytes;
};
class Memory : public testing::TestWithParam<Case> {};

TEST_P(Memory, task_states_its_access) {
  const auto list = lower_body(GetParam().instruction, as_written);
  ASSERT_EQ(list.tasks.size(), 1U);
  EXPECT_EQ(list.tasks[0].kind, GetParam().kind);
  EXPECT_EQ(list.tasks[0].space, GetParam().space);
  EXPECT_EQ(list.tasks[0].access_bytes, GetParam().bytes);
  EXPECT_EQ(list.tasks[0].access, 0);
}

INSTANTIATE_TEST_SUITE_P(
    all, Memory,
    testing::Values(
        Case{"ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%d1];", TaskKind::load, Space::global, 16},
        Case{"ld.global.nc.u8 %h1, [%d1];", TaskKind::load, Space::global, 1},
        Case{"ld.shared.v2.u64 {%d1,%d2}, [%r1];", TaskKind::load, Space::shared, 16},
        Case{"st.local.u16 [%d1], %h1;", TaskKind::store, Space::local, 2},
        Case{"ld.const.u32 %r1, [%d1];", TaskKind::load, Space::constant, 4},
        Case{"ld.param.u64 %d1, [p];", TaskKind::load, Space::param, 8},
        Case{"ld.u32 %r1, [%d1];", TaskKind::load, Space::generic, 4},
        Case{"atom.shared.add.u32 %r1, [%r2], 1;", TaskKind::atomic, Space::shared, 4},
        Case{"red.global.add.f64 [%d1], %d2;", TaskKind::reduction, Space::global, 8},
        // An asynchronous copy's size is its third operand.
        Case{"cp.async.cg.shared.global [%r1], [%d1], 16;", TaskKind::load, Space::global, 16},
        Case{"cp.async.bulk.prefetch.L2.global [%d1], 256;", TaskKind::load, Space::global, 256},
        // In a register it is not known, whatever constants follow.
        Case{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%r1], [%d1], %r2, 4, "
             "8, "
             "[%r3];",
             TaskKind::load, Space::global, 0},
        Case{"cp.async.ca.shared.global [%r1], [%d1], 8, 4;", TaskKind::load, Space::global, 8},
        // A 16x16 half fragment: 8 registers of 4 bytes per lane.
        Case{"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, "
             "[%d1], 16;",
             TaskKind::load, Space::shared, 32}));

TEST(Memory, accesses_are_numbered_within_their_block) {
  const auto list = lower_body("st.global.u32 [%d1], %r1;\n"
                               "add.s32 %r2, %r2, 1;\n"
                               "ld.shared.u32 %r3, [%r1];\n"
                               "@%p1 bra END;\n"
                               "st.global.u32 [%d1], %r3;\n"
                               "END: ret;",
                               as_written);
  EXPECT_EQ(list.tasks[0].access, 0);
  EXPECT_EQ(list.tasks[1].access, UINT16_MAX);
  EXPECT_EQ(list.tasks[2].access, 1);
  EXPECT_EQ(list.tasks[4].access, 0); // a new block counts anew
}

} // namespace
} // namespace kerncast::lowering
