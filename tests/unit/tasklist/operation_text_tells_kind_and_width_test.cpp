// The operation text alone decides kind, space, bytes per lane and side effects.
#include "tasklist/operation.h"

#include <gtest/gtest.h>

namespace kerncast::tasklist {
namespace {

struct Case {
  const char* operation;
  TaskKind kind;
  Space space;
  int bytes;
};

class Operation : public testing::TestWithParam<Case> {};

TEST_P(Operation, tells_kind_space_and_bytes) {
  const auto traits = traits_of(GetParam().operation);
  EXPECT_EQ(name(traits.kind), name(GetParam().kind));
  EXPECT_EQ(name(traits.space), name(GetParam().space));
  EXPECT_EQ(traits.access_bytes, GetParam().bytes);
}

using enum TaskKind;
INSTANTIATE_TEST_SUITE_P(
    all, Operation,
    testing::Values(
        Case{"add.s32", compute, Space::none, 0}, Case{"ld.global.f32", load, Space::global, 4},
        Case{"ld.global.nc.L1::no_allocate.v4.f32", load, Space::global, 16},
        Case{"ld.shared::cta.v2.b16", load, Space::shared, 4}, Case{"ld.u8", load, Space::generic, 1},
        Case{"ld.const.f64", load, Space::constant, 8}, Case{"ld.param.u64", load, Space::param, 8},
        Case{"st.local.v2.u64", store, Space::local, 16}, Case{"st.global.v8.f32", store, Space::global, 32},
        Case{"atom.global.add.f64", atomic, Space::global, 8},
        Case{"atom.global.cas.b128", atomic, Space::global, 16},
        Case{"red.relaxed.gpu.global.add.u32", reduction, Space::global, 4},
        // Four texels of f32; the coordinates' type s32 does not count.
        Case{"tex.2d.v4.f32.s32", load, Space::texture, 16}, Case{"bar.sync", barrier, Space::none, 0},
        Case{"barrier.cta.red.popc.u32", barrier, Space::none, 0},
        Case{"bar.warp.sync", warp_sync, Space::none, 0},
        Case{"shfl.sync.down.b32", warp_sync, Space::none, 0}, Case{"membar.gl", fence, Space::none, 0},
        Case{"bra.uni", branch, Space::none, 0}, Case{"brx.idx", branch, Space::none, 0},
        Case{"ret", exit, Space::none, 0}, Case{"trap", exit, Space::none, 0},
        Case{"cp.async.ca.shared.global", load, Space::global, 0},
        Case{"cp.async.bulk.global.shared::cta.bulk_group", store, Space::global, 0},
        Case{"multimem.cp.async.bulk.global.shared::cta.bulk_group", store, Space::global, 0},
        Case{"multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", TaskKind::reduction,
             Space::global, 0},
        Case{"cp.async.wait_group", fence, Space::none, 0},
        Case{"cp.async.commit_group", compute, Space::none, 0},
        // Four 8x8 matrices of 16 bits: 512 bytes over 32 lanes.
        Case{"ldmatrix.sync.aligned.m8n8.x4.shared.b16", load, Space::shared, 16},
        Case{"tcgen05.wait::ld.sync.aligned", fence, Space::none, 0},
        Case{"tcgen05.fence::after_thread_sync", fence, Space::none, 0},
        Case{"tcgen05.mma.cta_group::1.kind::f16", compute, Space::none, 0},
        Case{"mbarrier.try_wait.shared.b64", load, Space::shared, 8}));

TEST(OperationSideEffects, keep_what_is_visible_outside) {
  EXPECT_FALSE(traits_of("ld.global.f32").side_effect);
  EXPECT_TRUE(traits_of("ld.volatile.global.f32").side_effect);
  EXPECT_TRUE(traits_of("ld.acquire.gpu.global.u32").side_effect);
  EXPECT_TRUE(traits_of("st.shared.f32").side_effect);
  EXPECT_TRUE(traits_of("atom.global.add.u32").side_effect);
  EXPECT_FALSE(traits_of("mul.wide.s32").side_effect);
}

TEST(OperationResults, are_absent_where_all_operands_are_read) {
  EXPECT_FALSE(traits_of("st.global.f32").has_result);
  EXPECT_FALSE(traits_of("bar.sync").has_result);
  EXPECT_TRUE(traits_of("bar.red.or.pred").has_result);
  EXPECT_TRUE(traits_of("mad.lo.s32").has_result);
}

} // namespace
} // namespace kerncast::tasklist
