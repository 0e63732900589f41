// Which parameters lead to memory that a kernel reads or writes, and what of it decides where it goes.
#include <gtest/gtest.h>

#include "../lowered_kernel.h"
#include "warp/memory_use.h"

namespace kerncast::slice_test {
namespace {

using warp::MemoryUse;

// Parameters a, b, c and n; %l1 to %l3 are a, b and c at the thread's place, %r1 is its number.
MemoryUse use_of(const std::string& body) {
  const auto kernel = test::LoweredKernel::of_text(
      ".version 9.0\n.target sm_110a\n.address_size 64\n.shared .align 4 .b8 s[1024];\n"
      ".global .align 4 .b8 table[64];\n"
      ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n{\n.reg .pred %p;\n"
      ".reg .b32 %r<9>;\n.reg .b64 %l<9>;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %l4, %r1, 4;\n"
      "ld.param.u64 %l1, [a];\nadd.u64 %l1, %l1, %l4;\nld.param.u64 %l2, [b];\nadd.u64 %l2, %l2, %l4;\n"
      "ld.param.u64 %l3, [c];\nadd.u64 %l3, %l3, %l4;\nld.param.u32 %r7, [n];\nmov.u32 %r8, s;\n" +
      body + "\nret;\n}\n");
  return warp::memory_use(kernel.module(), kernel.function(), kernel.list(), false);
}

using Places = std::vector<bool>;

TEST(MemoryUse, FollowsPointersThroughArithmeticToAccesses) {
  const MemoryUse use =
      use_of("ld.global.u32 %r2, [%l1];\nadd.u32 %r2, %r2, %r7;\nst.global.u32 [%l3], %r2;");
  EXPECT_EQ(use.reads.parameters, (Places{true, false, false, false}));
  EXPECT_EQ(use.writes.parameters, (Places{false, false, true, false}));
  EXPECT_EQ(use.decides.parameters, (Places{false, false, false, false}));
  EXPECT_EQ(use.stored.parameters, (Places{false, false, false, true})); // n
  EXPECT_FALSE(use.reads.everything);
}

// c[a[i]] = b[i]: a decides, b does not.
TEST(MemoryUse, OnlyLoadsThatAddressesAndBranchesComeFromDecide) {
  const MemoryUse use =
      use_of("ld.global.u32 %r2, [%l1];\nld.global.u32 %r3, [%l2];\nmul.wide.u32 %l5, %r2, 4;\n"
             "ld.param.u64 %l6, [c];\nadd.u64 %l6, %l6, %l5;\nst.global.u32 [%l6], %r3;");
  EXPECT_EQ(use.decides.parameters, (Places{true, false, false, false}));
  EXPECT_EQ(use.reads.parameters, (Places{true, true, false, false}));
  EXPECT_EQ(use.writes.parameters, (Places{false, false, true, false}));
}

// Results that slice execution does not compute decide too: square roots are followed back to what they are
// of.
TEST(MemoryUse, InexactResultsAreFollowed) {
  const MemoryUse use = use_of("ld.global.u32 %r2, [%l2];\nsqrt.approx.f32 %r3, %r2;\n"
                               "setp.gt.f32 %p, %r3, 0f40000000;\n@%p bra L;\nst.global.u32 [%l3], %r3;\nL:");
  EXPECT_EQ(use.decides.parameters, (Places{false, true, false, false}));
}

// What lies in shared memory came from what was read; an address that names no space may be there.
TEST(MemoryUse, GenericLoadsOfSharedMemoryDecideThroughAllThatIsRead) {
  const MemoryUse use =
      use_of("ld.global.u32 %r2, [%l1];\nst.shared.u32 [%r8], %r2;\nmov.u64 %l5, s;\n"
             "cvta.shared.u64 %l5, %l5;\nld.u32 %r3, [%l5];\nsetp.ne.s32 %p, %r3, 0;\n@%p bra L;\n"
             "st.global.u32 [%l3], %r1;\nL:");
  EXPECT_EQ(use.decides.parameters, (Places{true, false, false, false}));
}

TEST(MemoryUse, AtomicsReadAndWrite) {
  const MemoryUse use = use_of("atom.global.add.u32 %r2, [%l1], 1;\nred.global.add.u32 [%l2], 1;");
  EXPECT_EQ(use.reads.parameters, (Places{true, true, false, false}));
  EXPECT_EQ(use.writes.parameters, (Places{true, true, false, false}));
}

// What decides came through shared memory: any load may have put it there.
TEST(MemoryUse, SharedMemoryThatDecidesMakesAllLoadsDecide) {
  const MemoryUse use = use_of("ld.global.u32 %r2, [%l1];\nst.shared.u32 [%r8], %r2;\nbar.sync 0;\n"
                               "ld.shared.u32 %r3, [%r8];\nsetp.eq.u32 %p, %r3, 0;\n@%p bra L;\n"
                               "st.global.u32 [%l3], %r1;\nL:");
  EXPECT_EQ(use.decides.parameters, (Places{true, false, false, false}));
}

// Descriptors lead to shared memory, and addresses of tensor memory to no buffer.
TEST(MemoryUse, TensorMemoryThatDecidesMakesAllLoadsDecide) {
  const std::string fills = "ld.global.u32 %r2, [%l1];\nst.shared.u32 [%r8], %r2;\n"
                            "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r3], %l5;\n"
                            "tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%r4, %r5}, %r6, [%r3];\n";
  const MemoryUse decides =
      use_of(fills + "setp.ne.s32 %p, %r6, 0;\n@%p bra L;\nst.global.u32 [%l3], %r1;\nL:");
  EXPECT_EQ(decides.decides.parameters, (Places{true, false, false, false}));
  const MemoryUse stores = use_of(fills + "st.global.u32 [%l3], %r6;");
  EXPECT_EQ(stores.decides.parameters, (Places{false, false, false, false}));
  EXPECT_EQ(stores.writes.parameters, (Places{false, false, true, false}));
  EXPECT_FALSE(stores.reads.everything);
}

TEST(MemoryUse, VariablesOfTheModuleAreOne) {
  const MemoryUse use = use_of("st.global.u32 [table+4], %r1;");
  EXPECT_TRUE(use.writes.variables);
  EXPECT_FALSE(use.reads.variables);
}

TEST(MemoryUse, PointersThatAreStoredAreToldAndThoseThatAreLoadedMayBeAnything) {
  EXPECT_EQ(use_of("st.global.u64 [%l1], %l2;").stored.parameters, (Places{false, true, false, false}));
  const MemoryUse use = use_of("ld.global.u64 %l5, [%l1];\nld.global.u32 %r2, [%l5];");
  EXPECT_TRUE(use.reads.everything);
  EXPECT_TRUE(use.writes.everything);
}

// A loaded pointer plus something of a parameter: of n it is known that it may be used, of the pointer that
// it was loaded.
TEST(MemoryUse, AddressesFromLoadedValuesAreTold) {
  const MemoryUse use =
      use_of("ld.global.u64 %l5, [%l1];\nmul.wide.u32 %l6, %r7, 4;\nadd.u64 %l5, %l5, %l6;\n"
             "st.global.u32 [%l5], %r1;");
  EXPECT_TRUE(use.writes.loaded);
  EXPECT_EQ(use.writes.parameters, (Places{false, false, false, true}));
  EXPECT_FALSE(use.reads.loaded);
  EXPECT_FALSE(use.writes.everything);
}

TEST(MemoryUse, PointersInOwnMemoryAreNotLeftForOthers) {
  const MemoryUse own = use_of("st.shared.u64 [%r8], %l2;");
  EXPECT_EQ(own.stored.parameters, (Places{false, true, false, false}));
  EXPECT_EQ(own.left.parameters, (Places{false, false, false, false}));
  EXPECT_EQ(use_of("st.global.u64 [%l1], %l2;").left.parameters, (Places{false, true, false, false}));
}

} // namespace
} // namespace kerncast::slice_test
