// Endless and absurdly long executions end with a diagnostic.
#include <fmt/format.h>

#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

Kernel loop_kernel(const std::string& body) {
  return Kernel::of_text(
      ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\n"
      ".reg .pred %p;\n.reg .b32 %r<5>;\nld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\nLOOP:\n" +
      body + "@%p bra LOOP;\nret;\n}\n");
}

TEST(Runaway, ALoopWithoutEndIsRefused) {
  const Kernel kernel = loop_kernel("setp.eq.u32 %p, %r1, %r1;\n");
  const auto b = kernel.try_execute(launch({1, 1, 1}, {32, 1, 1}, {integer(1)}));
  ASSERT_FALSE(b);
  const std::string text = render(b.error());
  EXPECT_NE(
      text.find("test.ptx:11:1: error: kernel k, CTA (0, 0, 0), thread (0, 0, 0): runaway loop at line 11"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\"loops\""), std::string::npos);
}

// Each block goes on to the next one or to the one after that: as many ways through as Fibonacci's numbers,
// and sides meet again at the end only.
TEST(Runaway, BranchesOnUnknownDataThatMultiplyAreRefused) {
  std::string body;
  for (int i = 0; i < 60; ++i)
    body += fmt::format("L{}:\nld.global.u32 %r, [%l+{}];\nsetp.eq.u32 %p, %r, {};\n@%p bra L{};\n", i, 4 * i,
                        i, i + 2);
  const auto b =
      Kernel::of_text(".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
                      ".reg .pred %p;\n.reg .b32 %r;\n.reg .b64 %l;\nld.param.u64 %l, [a];\n" +
                      body + "L60:\nst.global.u32 [%l], %r;\nL61:\nret;\n}\n")
          .try_execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(4096)}));
  ASSERT_FALSE(b);
  const std::string text = render(b.error());
  EXPECT_EQ(text.rfind("test.ptx:", 0), 0U) << text;
  EXPECT_NE(text.find("branches on unknown data lie so deep inside each other"), std::string::npos) << text;
}

// 10^12 iterations may be a kernel, 2^62 are a mistake.
TEST(Runaway, ALoopThatTakesYearsIsRefused) {
  const auto counts_to = [](std::uint64_t end) {
    return Kernel::of_text(
               fmt::format(".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k()\n{{\n"
                           ".reg .pred %p;\n.reg .b64 %l;\nmov.u64 %l, 0;\nLOOP:\nadd.u64 %l, %l, 1;\n"
                           "setp.lt.u64 %p, %l, {};\n@%p bra LOOP;\nret;\n}}\n",
                           end))
        .try_execute(launch({1, 1, 1}, {32, 1, 1}, {}));
  };
  EXPECT_TRUE(counts_to(1'000'000'000'000));
  const auto b = counts_to(std::uint64_t{1} << 62);
  ASSERT_FALSE(b);
  EXPECT_NE(
      render(b.error()).find("runaway loop at line 10: it would take more than 1000000000000 iterations"),
      std::string::npos)
      << render(b.error());
}

// The number decides never; what else changes is no sum.
TEST(Runaway, ALoopThatComesToTheSameDecisionIsRefused) {
  const Kernel kernel =
      loop_kernel("mad.lo.u32 %r2, %r2, %r2, 1;\nmov.u32 %r3, %tid.x;\nshl.b32 %r4, %r3, 2;\n"
                  "add.u32 %r4, %r4, %r2;\nand.b32 %r4, %r4, 1020;\nst.shared.u32 [%r4], %r2;\n"
                  "setp.ne.u32 %p, %r1, 5;\n");
  const auto b = kernel.try_execute(launch({1, 1, 1}, {32, 1, 1}, {integer(1)}));
  ASSERT_FALSE(b);
  EXPECT_NE(render(b.error()).find("what decides whether it goes on is what it was"), std::string::npos)
      << render(b.error());
}

TEST(Runaway, AnUnconditionalLoopIsRefused) {
  const Kernel kernel = Kernel::of_text(
      ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\nLOOP:\nbra.uni LOOP;\n}\n");
  EXPECT_FALSE(kernel.try_execute(launch({1, 1, 1}, {32, 1, 1}, {})));
}

// Two hundred branches on one unknown predicate, each to some other place: 2^200 ways through them.
TEST(Runaway, WaysThatMultiplyAreRefused) {
  std::string text =
      ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p;\n";
  for (int i = 0; i < 200; ++i)
    text += fmt::format("L{}: @%p bra L{};\n", i, i * 7919 % 200);
  const auto b = Kernel::of_text(text + "ret;\n}\n").try_execute(launch({1, 1, 1}, {32, 1, 1}, {}));
  ASSERT_FALSE(b);
  EXPECT_NE(render(b.error()).find("both sides of all of them cannot be followed"), std::string::npos);
}

TEST(Runaway, TheLimitOfVisitsHolds) {
  // x = x * x + 1 cannot be advanced in closed form.
  const Kernel kernel = loop_kernel("mad.lo.u32 %r2, %r2, %r2, 1;\nadd.u32 %r1, %r1, -1;\n"
                                    "xor.b32 %r3, %r2, %r1;\nor.b32 %r3, %r3, 1;\nsetp.ne.u32 %p, %r3, 0;\n");
  slice::SliceOptions options;
  options.max_visits_per_warp = 1000;
  EXPECT_FALSE(kernel.try_execute(launch({1, 1, 1}, {32, 1, 1}, {integer(1)}), options));
}

TEST(Runaway, ImpossibleLaunchesAreRefused) {
  const Kernel kernel = loop_kernel("setp.ne.u32 %p, %r1, %r1;\n");
  for (const auto& [grid, block] :
       std::vector<std::pair<tasklist::Dim3, tasklist::Dim3>>{{{0, 1, 1}, {32, 1, 1}},
                                                              {{1, 1, 1}, {0, 1, 1}},
                                                              {{1, 1, 1}, {1025, 1, 1}},
                                                              {{1, 1, 1}, {0x80000000U, 2, 1}},
                                                              {{1, 70'000, 1}, {32, 1, 1}},
                                                              {{0xffffffffU, 1, 1}, {32, 1, 1}}})
    EXPECT_FALSE(kernel.try_execute(launch(grid, block, {integer(1)})));
  EXPECT_TRUE(kernel.try_execute(launch({0x7fffffffU, 65'535, 65'535}, {1024, 1, 1}, {integer(1)})));
}

} // namespace
} // namespace kerncast::slice_test
