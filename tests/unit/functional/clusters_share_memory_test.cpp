// CTAs of a cluster read, write and signal in each other's shared memory, and meet at a barrier.
#include <map>

#include "device.h"

namespace kerncast::functional_test {
namespace {

// A kernel with parameter `out`, in %l1, and the word s[64] of shared memory and the mbarrier `bar`; %r1 is
// the thread, %r2 the CTA's rank, %r3 the cluster's CTAs, %r4 the next rank, %r5 the address of s.
Code cluster_kernel(const std::string& body, const std::string& directives = {}) {
  return Code::of_text(".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)" +
                       directives +
                       "\n{\n.reg .pred %p;\n.reg .b16 %h;\n.reg .b32 %r<20>;\n.reg .b64 %l<9>;\n"
                       ".shared .align 16 .b8 s[256];\n.shared .align 8 .b64 bar;\n"
                       "ld.param.u64 %l1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %cluster_ctarank;\n"
                       "mov.u32 %r3, %cluster_nctarank;\nadd.u32 %r4, %r2, 1;\nrem.u32 %r4, %r4, %r3;\n"
                       "mov.u32 %r5, s;\n" +
                       body + "\nret;\n}\n");
}
const std::string meet = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
// out[CTA] = %r9, by thread 0
const std::string give = "mov.u32 %r10, %ctaid.x;\nmul.wide.u32 %l2, %r10, 4;\nadd.u64 %l2, %l1, %l2;\n"
                         "setp.eq.u32 %p, %r1, 0;\n@%p st.global.u32 [%l2], %r9;\n";

Words words_of(const Code& code, std::uint32_t ctas, std::uint32_t cluster, std::uint32_t threads = 32) {
  Device device;
  const Argument out = device.buffer(Words(ctas));
  const auto ran = device.try_run_clusters(code, {ctas}, {threads}, {cluster}, {out});
  EXPECT_TRUE(ran) << error_of(ran);
  return device.read<std::uint32_t>(out);
}
std::string error_in(const Code& code, Dim3 grid = {4}, Dim3 cluster = {2}, std::uint32_t threads = 32) {
  Device device;
  return error_of(
      device.try_run_clusters(code, grid, {threads}, cluster, {device.buffer(Words(grid.count()))}));
}
void expect_error(const std::string& text, const std::string& what) {
  EXPECT_NE(text.find(what), std::string::npos) << text;
}

// %r9 = 1000 cluster_ctaid.x + 100 clusterid.x + 10 cluster_nctaid.x + nclusterid.x of 6 CTAs in threes.
TEST(Clusters, RegistersTellTheirGeometry) {
  const Words words = words_of(
      cluster_kernel(
          "mov.u32 %r9, %cluster_ctaid.x;\nmov.u32 %r11, %clusterid.x;\n"
          "mad.lo.u32 %r9, %r9, 10, %r11;\nmov.u32 %r11, %cluster_nctaid.x;\n"
          "mad.lo.u32 %r9, %r9, 10, %r11;\nmov.u32 %r11, %nclusterid.x;\nmad.lo.u32 %r9, %r9, 10, %r11;\n" +
          give),
      6, 3);
  EXPECT_EQ(words, (Words{32, 1032, 2032, 132, 1132, 2132}));
}

TEST(Clusters, ARegisterTellsWhetherTheyAreStated) {
  const std::string tell = "mov.pred %p, %is_explicit_cluster;\nselp.u32 %r9, 1, 0, %p;\n" + give;
  EXPECT_EQ(words_of(cluster_kernel(tell), 2, 2), (Words{1, 1}));
  EXPECT_EQ(words_of(cluster_kernel(tell, ".reqnctapercluster 1"), 1, 1), Words{1});
  Device device;
  const Argument out = device.buffer(Words(1));
  device.run(cluster_kernel(tell), {1}, {32}, {out});
  EXPECT_EQ(device.read<std::uint32_t>(out), Words{0});
}

// A cluster of 2x2x1 of a grid of 2x4x1: ranks 0 1 / 2 3 / 0 1 / 2 3.
TEST(Clusters, RanksRunAlongXFirst) {
  Device device;
  const Code code =
      cluster_kernel("mov.u32 %r10, %ctaid.x;\nmov.u32 %r11, %ctaid.y;\nmad.lo.u32 %r10, %r11, 2, %r10;\n"
                     "mul.wide.u32 %l2, %r10, 4;\nadd.u64 %l2, %l1, %l2;\nst.global.u32 [%l2], %r2;");
  const Argument out = device.buffer(Words(8));
  ASSERT_TRUE(device.try_run_clusters(code, {2, 4}, {1}, {2, 2}, {out}));
  EXPECT_EQ(device.read<std::uint32_t>(out), (Words{0, 1, 2, 3, 0, 1, 2, 3}));
}

// Each CTA stores its number at the next one.
TEST(Clusters, StoresReachTheSharedMemoryOfOthers) {
  const std::string store = "mapa.shared::cluster.u32 %r6, %r5, %r4;\nmov.u32 %r7, %ctaid.x;\n";
  const std::string load = "ld.shared.u32 %r9, [%r5];\n";
  EXPECT_EQ(
      words_of(cluster_kernel(store + "st.shared::cluster.u32 [%r6], %r7;\n" + meet + load + give), 8, 4),
      (Words{3, 0, 1, 2, 7, 4, 5, 6}));
  // By generic addresses, and read from there.
  EXPECT_EQ(words_of(cluster_kernel("mov.u32 %r7, %ctaid.x;\nst.shared.u32 [%r5], %r7;\n" + meet +
                                    "mov.u64 %l3, s;\ncvta.shared.u64 %l3, %l3;\nmapa.u64 %l3, %l3, %r4;\n"
                                    "ld.u32 %r9, [%l3];\n" +
                                    meet + give),
                     8, 4),
            (Words{1, 2, 3, 0, 5, 6, 7, 4}));
}

// 4 CTAs of 64 threads count at rank 0: 256.
TEST(Clusters, AtomicsCountThere) {
  EXPECT_EQ(words_of(cluster_kernel(meet +
                                    "mapa.shared::cluster.u32 %r6, %r5, 0;\n"
                                    "red.shared::cluster.add.u32 [%r6], 1;\n" +
                                    meet + "ld.shared.u32 %r9, [%r5];\n" + give),
                     4, 4, 64),
            (Words{256, 0, 0, 0}));
}

// The address of another CTA tells its rank.
TEST(Clusters, AddressesTellTheirRank) {
  EXPECT_EQ(
      words_of(cluster_kernel("mapa.shared::cluster.u32 %r6, %r5, %r4;\n"
                              "getctarank.shared::cluster.u32 %r9, %r6;\n"
                              "getctarank.shared::cluster.u32 %r11, %r5;\nmad.lo.u32 %r9, %r9, 10, %r11;\n" +
                              give),
               3, 3),
      (Words{10, 21, 2}));
}

// 4 bytes arrive at the neighbour and complete the phase that expects them.
Words after_signalled(const std::string& store) {
  const std::string body =
      "mov.u32 %r8, bar;\nsetp.eq.u32 %p, %r1, 0;\n@!%p bra READY;\nst.shared.u32 [%r5], 100;\n"
      "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared.b64 %l3, [bar], 4;\nREADY:\n" +
      meet +
      "mapa.shared::cluster.u32 %r6, %r5, %r4;\nmapa.shared::cluster.u32 %r7, %r8, %r4;\nmov.u32 %r11, "
      "%ctaid.x;\n"
      "add.u32 %r11, %r11, 50;\nsetp.eq.u32 %p, %r1, 0;\n@%p " +
      store + "mbarrier::complete_tx::bytes" + (store.starts_with("st") ? ".b32" : ".u32") +
      " [%r6], %r11, [%r7];\n"
      "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p, [bar], 0;\n@!%p bra WAIT;\nld.shared.u32 %r9, "
      "[%r5];\n" +
      meet + give;
  return words_of(cluster_kernel(body), 4, 2);
}

TEST(Clusters, AsynchronousStoresSignalTheReceiver) {
  EXPECT_EQ(after_signalled("st.async.shared::cluster."), (Words{51, 50, 53, 52}));
  EXPECT_EQ(after_signalled("red.async.relaxed.cluster.add.shared::cluster."), (Words{151, 150, 153, 152}));
}

// 16 bytes, words 1 to 4, of which the fourth is given.
TEST(Clusters, AsynchronousStoresMayHave128Bits) {
  const std::string body =
      ".reg .b128 %q;\nmov.u32 %r8, bar;\nsetp.eq.u32 %p, %r1, 0;\n@!%p bra READY;\n"
      "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared.b64 %l3, [bar], 16;\nREADY:\n" +
      meet +
      "mapa.shared::cluster.u32 %r6, %r5, %r4;\nmapa.shared::cluster.u32 %r7, %r8, %r4;\n"
      "mov.u32 %r11, %ctaid.x;\nadd.u32 %r11, %r11, 50;\nmov.b64 %l4, {%r1, %r1};\nmov.b64 %l5, {%r1, "
      "%r11};\nmov.b128 %q, {%l4, %l5};\nsetp.eq.u32 %p, %r1, 0;\n"
      "@%p st.async.shared::cluster.mbarrier::complete_tx::bytes.b128 [%r6], %q, [%r7];\n"
      "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p, [bar], 0;\n@!%p bra WAIT;\n"
      "ld.shared.u32 %r9, [%r5+12];\n" +
      meet + give;
  EXPECT_EQ(words_of(cluster_kernel(body), 4, 2), (Words{51, 50, 53, 52}));
}

// Thread 0 of each CTA arrives at the neighbour's mbarrier.
TEST(Clusters, ArrivalsReachTheMbarriersOfOthers) {
  const std::string body =
      "mov.u32 %r8, bar;\nsetp.eq.u32 %p, %r1, 0;\n@%p mbarrier.init.shared.b64 [bar], 1;\n" + meet +
      "mapa.shared::cluster.u32 %r7, %r8, %r4;\nsetp.eq.u32 %p, %r1, 0;\n"
      "@%p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];\n"
      "mov.u32 %r9, 0;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %p, [bar], 0;\n@!%p bra WAIT;\nmov.u32 "
      "%r9, 7;\n" +
      meet + give;
  EXPECT_EQ(words_of(cluster_kernel(body), 4, 4), (Words{7, 7, 7, 7}));
}

// Rank 0 copies 16 bytes of `out` to ranks 0 and 2 of 4, each of which waits for its own.
TEST(Clusters, BulkCopiesGoToSeveral) {
  const std::string body =
      "mov.u32 %r8, bar;\nmov.u16 %h, 5;\nsetp.eq.u32 %p, %r1, 0;\n@!%p bra READY;\n"
      "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared.b64 %l3, [bar], 16;\nREADY:\n" +
      meet +
      "setp.eq.u32 %p, %r1, 0;\nsetp.eq.and.u32 %p, %r2, 0, %p;\n"
      "@%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r5], "
      "[%l1], 16, "
      "[%r8], %h;\nmov.u32 %r9, 0;\nand.b32 %r11, %r2, 1;\nsetp.eq.u32 %p, %r11, 1;\n@%p bra DONE;\n"
      "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p, [bar], 0;\n@!%p bra WAIT;\nld.shared.u32 %r9, "
      "[%r5+8];\n"
      "DONE:\n" +
      meet + give;
  Device device;
  const Argument out = device.buffer(Words{11, 22, 33, 44});
  const auto ran = device.try_run_clusters(cluster_kernel(body), {4}, {32}, {4}, {out});
  ASSERT_TRUE(ran) << error_of(ran);
  EXPECT_EQ(device.read<std::uint32_t>(out), (Words{33, 0, 33, 0}));
}

TEST(Clusters, OutcomesDoNotDependOnThreads) {
  const Code code = Code::of_path("apps/workloads/basic/cluster_histogram/cluster_histogram.ptx");
  const auto bins = [&](std::size_t workers) {
    Device device;
    functional::RunOptions options;
    options.workers = workers;
    options.for_each = [](std::size_t count, const std::function<void(std::size_t)>& task) {
      for (std::size_t i = count; i-- > 0;)
        task(i);
    };
    const auto in = generated<std::int32_t>(4096, [](std::uint32_t k) { return scrambled(k) % 64; });
    const Argument out = device.buffer(Words(64));
    EXPECT_TRUE(device.try_run_clusters(code, {8}, {64}, {2},
                                        {device.buffer(in), out, integer(4096), integer(64)}, 128, options));
    return device.read<std::uint32_t>(out);
  };
  EXPECT_EQ(bins(1), bins(4));
}

// Of 8 CTAs in clusters of 4, one per cluster is recorded and stands for all of its cluster.
TEST(Clusters, OneCtaOfEachIsRecorded) {
  Device device;
  functional::RunOptions options;
  options.recorded_ctas = 100;
  const auto ran = device.try_run_clusters(cluster_kernel(meet + "mov.u32 %r9, 1;\n" + give), {8}, {32}, {4},
                                           {device.buffer(Words(8))}, 0, options);
  ASSERT_TRUE(ran) << error_of(ran);
  EXPECT_EQ(ran->behaviour->ctas_executed, 2U);
  std::uint64_t ctas = 0;
  for (const tasklist::CtaClass& c : ran->behaviour->classes)
    ctas += c.cta_count;
  EXPECT_EQ(ctas, 8U);
}

const std::string to_next = "mapa.shared::cluster.u32 %r6, %r5, %r4;\n";

TEST(Clusters, RacesBetweenTheirCtasAreFaults) {
  const std::string racing =
      error_in(cluster_kernel(to_next +
                              "add.u32 %r7, %r2, 1;\nst.shared::cluster.u32 [%r6], %r7;\n"
                              "ld.shared.u32 %r9, [%r5];\n" +
                              meet + give));
  expect_error(racing, "race: ");
  expect_error(racing, "of the cluster's CTA");
  expect_error(racing, "put a barrier of the cluster between them");
}

TEST(Clusters, SharedMemoryIsGoneWithItsCta) {
  // Rank 1 leaves at once; rank 0 looks there after a meeting of its own threads.
  const std::string text =
      error_in(cluster_kernel("setp.eq.u32 %p, %r2, 1;\n@%p bra END;\nWAIT:\nadd.u32 %r11, %r11, 1;\n"
                              "setp.lt.u32 %p, %r11, 10000;\n@%p bra WAIT;\n" +
                              to_next + "ld.shared::cluster.u32 %r9, [%r6];\n" + give + "END:\n"));
  expect_error(text, "outside of memory, at shared 0x0 of the cluster's CTA 1, which has left the kernel");
}

TEST(Clusters, RanksBeyondTheClusterAreFaults) {
  expect_error(
      error_in(cluster_kernel("mapa.shared::cluster.u32 %r6, %r5, 2;\nld.shared::cluster.u32 %r9, [%r6];\n")),
      "of the cluster's CTA 2, which the cluster does not have");
  expect_error(error_in(cluster_kernel(to_next + "ld.shared::cluster.u32 %r9, [%r6+4096];\n")),
               "4 bytes outside of memory, at shared 0x1000 of the cluster's CTA 1");
  expect_error(error_in(cluster_kernel(
                   "mapa.shared::cluster.u32 %r6, %r5, 99;\nld.shared::cluster.u32 %r9, [%r6];\n")),
               "outside of memory");
}

TEST(Clusters, BarriersThatCannotCompleteAreFaults) {
  expect_error(error_in(cluster_kernel("barrier.cluster.wait;\n")),
               "barrier.cluster.wait without an arrival before it");
  expect_error(error_in(cluster_kernel("barrier.cluster.arrive;\nbarrier.cluster.arrive;\n")),
               "barrier.cluster.arrive a second time without a wait in between");
  // The first warp waits for the cluster, the second for its CTA.
  expect_error(
      error_in(cluster_kernel("setp.lt.u32 %p, %r1, 32;\n@%p bra OTHER;\nbar.sync 0;\nOTHER:\n" + meet), {2},
               {2}, 64),
      "deadlock: 2 of 2 warps wait");
}

// Who has left is not waited for, whether it had arrived or not.
TEST(Clusters, BarriersDoNotWaitForThoseWhoLeft) {
  EXPECT_EQ(words_of(cluster_kernel("mov.u32 %r9, 5;\n" + give + "setp.eq.u32 %p, %r2, 0;\n@%p bra END;\n" +
                                    meet + "mov.u32 %r9, 6;\n" + give + "END:\n"),
                     3, 3),
            (Words{5, 6, 6}));
  EXPECT_EQ(words_of(cluster_kernel("mov.u32 %r9, 5;\n" + give +
                                    "barrier.cluster.arrive;\nsetp.eq.u32 %p, %r2, 0;\n"
                                    "@%p bra END;\nbarrier.cluster.wait;\nmov.u32 %r9, 6;\n" +
                                    give + "END:\n"),
                     3, 3),
            (Words{5, 6, 6}));
}

TEST(Clusters, GridsAreWholeClusters) {
  const Code code = cluster_kernel(meet);
  expect_error(error_in(code, {5}, {2}),
               "a grid of 5x1x1 CTAs is no multiple of kernel k's clusters of 2x1x1");
  expect_error(error_in(code, {32}, {32}), "a cluster of 32x1x1 CTAs does not exist");
  const Code requires_two = cluster_kernel(meet, " .reqnctapercluster 2");
  EXPECT_EQ(error_in(requires_two, {4}, {2}), "");
  expect_error(error_in(requires_two, {4}, {4}), "kernel k requires clusters of 2x1x1 CTAs, not 4x1x1");
}

} // namespace
} // namespace kerncast::functional_test
