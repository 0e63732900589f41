// What barriers, groups of asynchronous operations and mbarriers of a PTX kernel become in the program that
// an SM runs, on Hopper.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../property/prediction/one_kernel.h"

namespace kerncast {
namespace {

using engine::AsyncKind;
using engine::BarrierUse;
using engine::SmOp;
using engine::SmOpKind;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

KernelLaunch kernel(const std::string& body, std::uint32_t threads = 128) {
  KernelLaunch out;
  out.ptx = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry kernel(.param .u64 from) {
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
  .shared .align 128 .b8 buffer[16384];
  .shared .align 8 .b8 barriers[16];
  ld.param.u64 %rd1, [from];
  mov.u32 %r1, buffer;
  mov.u32 %r2, barriers;
)" + body + "  ret;\n}\n";
  out.launch.grid.x = 1;
  out.launch.block.x = threads;
  out.launch.registers = 32;
  out.launch.arguments.push_back({tasklist::Argument::Kind::buffer, 0, 0, 1U << 20});
  return out;
}

struct Planned {
  engine::SmProgram program;
  std::vector<std::string> assumptions;
};

Planned planned(const std::string& body) {
  const engine::KernelPlan plan = plan_of(kernel(body), gpu_of("h100-sxm"));
  return {*plan.groups.at(0).workload.program, plan.assumptions};
}

std::vector<SmOp> of_kind(const engine::SmProgram& program, SmOpKind kind) {
  std::vector<SmOp> out;
  std::copy_if(program.ops.begin(), program.ops.end(), std::back_inserter(out),
               [&](const SmOp& op) { return op.kind == kind; });
  return out;
}

std::vector<SmOp> of_async(const engine::SmProgram& program, SmOpKind kind, AsyncKind async) {
  std::vector<SmOp> out = of_kind(program, kind);
  std::erase_if(out, [&](const SmOp& op) { return op.async != async; });
  return out;
}

// Counts are of threads: 64 are two warps.
TEST(barriers_of_ptx, have_names_and_counts) {
  const Planned plan = planned(R"(
  bar.sync 1, 64;
  bar.arrive 2, 96;
  bar.sync 0;
  barrier.sync.aligned 1, 64;
)");
  EXPECT_THAT(plan.program.barrier_uses,
              ElementsAre(BarrierUse{.barrier = 0, .expected = 2},
                          BarrierUse{.barrier = 1, .expected = 3, .waits = false}, BarrierUse{.barrier = 2}));
  EXPECT_EQ(of_kind(plan.program, SmOpKind::barrier).size(), 4U);
}

TEST(barriers_of_ptx, that_are_computed_are_an_assumption) {
  const Planned plan = planned("  mov.u32 %r3, %ctaid.x;\n  bar.sync %r3, 64;\n");
  EXPECT_THAT(plan.assumptions, Contains(HasSubstr("the barrier is computed")));
  EXPECT_EQ(plan.program.barrier_uses.at(0).expected, 2U);
}

TEST(barriers_of_ptx, of_clusters_arrive_and_wait) {
  const Planned plan = planned("  barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;\n");
  EXPECT_THAT(plan.program.barrier_uses, ElementsAre(BarrierUse{.waits = false}, BarrierUse{.arrivals = 0}));
}

TEST(copies_of_ptx, join_groups) {
  const Planned plan = planned(R"(
  cp.async.cg.shared.global [%r1], [%rd1], 16;
  cp.async.commit_group;
  cp.async.wait_group 1;
  cp.async.wait_all;
)");
  EXPECT_EQ(of_async(plan.program, SmOpKind::memory, AsyncKind::copies).size(), 1U);
  EXPECT_EQ(of_async(plan.program, SmOpKind::commit, AsyncKind::copies).size(), 1U);
  const std::vector<SmOp> waits = of_async(plan.program, SmOpKind::wait_group, AsyncKind::copies);
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[0].keep, 1);
  EXPECT_EQ(waits[1].keep, engine::all_groups);
}

// One warp expects 4,096 bytes and copies them; the wait is without arrival.
TEST(copies_of_ptx, in_bulk_deliver_to_an_mbarrier) {
  const Planned plan = planned(R"(
  mbarrier.init.shared::cta.b64 [%r2], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [%r2], 4096;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 4096, [%r2];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;
  @!%p1 bra WAIT;
)");
  const std::vector<SmOp> copies = of_async(plan.program, SmOpKind::memory, AsyncKind::transactions);
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].delivered_bytes, 4096U);
  EXPECT_THAT(plan.program.barrier_uses,
              ElementsAre(BarrierUse{.arrivals = 32, .expected = 1, .announced_bytes = 4096, .waits = false},
                          BarrierUse{.arrivals = 0, .expected = 1}));
}

TEST(copies_of_ptx, out_of_shared_memory_join_groups_of_their_own) {
  const Planned plan = planned(R"(
  cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 1024;
  multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd1+1024], [%r1], 1024;
  multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1+2048], [%r1], 1024;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
)");
  EXPECT_EQ(of_async(plan.program, SmOpKind::memory, AsyncKind::bulk_copies).size(), 3U);
  EXPECT_EQ(of_async(plan.program, SmOpKind::commit, AsyncKind::bulk_copies).size(), 1U);
  EXPECT_EQ(of_async(plan.program, SmOpKind::wait_group, AsyncKind::bulk_copies).size(), 1U);
}

TEST(matrices_of_ptx, of_warpgroups_join_groups) {
  const Planned plan = planned(R"(
  .reg .b64 %d<2>; .reg .f32 %c<4>;
  mov.u64 %d0, 0;
  mov.u64 %d1, 0;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c0,%c1,%c2,%c3}, %d0, %d1, 1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  st.global.f32 [%rd1], %c0;
)");
  EXPECT_EQ(of_async(plan.program, SmOpKind::compute, AsyncKind::matrices).size(), 1U);
  EXPECT_EQ(of_async(plan.program, SmOpKind::commit, AsyncKind::matrices).size(), 1U);
  EXPECT_EQ(of_async(plan.program, SmOpKind::wait_group, AsyncKind::matrices).size(), 1U);
}

// Eight copies in eight groups: waiting for each before the next pays eight latencies, keeping one under way
// four, and waiting once at the end one.
double cycles_of_copies(const std::string& wait_each, const std::string& wait_last) {
  std::string body;
  for (int i = 0; i < 8; ++i) {
    const std::string at = std::to_string(2048 * i);
    body += "  cp.async.cg.shared.global [%r1+" + at + "], [%rd1+" + at + "], 16;\n";
    body += "  cp.async.commit_group;\n" + wait_each;
  }
  return predict(kernel(body + wait_last, 32), "h100-sxm").cycles;
}

TEST(copies_of_ptx, overlap_as_far_as_waits_allow) {
  const double each = cycles_of_copies("  cp.async.wait_group 0;\n", "");
  const double two = cycles_of_copies("  cp.async.wait_group 1;\n", "  cp.async.wait_all;\n");
  const double all = cycles_of_copies("", "  cp.async.wait_all;\n");
  EXPECT_GT(each, 1.7 * two);
  EXPECT_GT(two, 1.7 * all);
}

} // namespace
} // namespace kerncast
