// What slice execution cannot compute has no result, instead of a wrong one.
#include "instruction_probe.h"

namespace kerncast::slice_test {
namespace {

bool is_known(const std::string& instruction, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return InstructionProbe(instruction).run(a, b, c).has_value();
}

TEST(UnknownResults, DivisionByZeroIsUnspecified) {
  EXPECT_FALSE(is_known("div.u32 %word, %ra, %rc;", 8, 1, 0));
  EXPECT_TRUE(is_known("div.u32 %word, %ra, %rc;", 8, 1, 1));
  EXPECT_FALSE(is_known("rem.s64 %result, %a, %c;", 8, 1, 0));
}

TEST(UnknownResults, InstructionsOutsideTheSliceAreUnknown) {
  EXPECT_FALSE(is_known("ex2.approx.f32 %float, %fa;", 0x3f800000, 0, 0));
  EXPECT_FALSE(is_known("div.full.f32 %float, %fa, %fb;", 0x3f800000, 0x3f800000, 0));
  EXPECT_FALSE(is_known("mov.u32 %word, %clock;", 0, 0, 0));
  EXPECT_FALSE(is_known("ld.global.u32 %word, [%c];", 0, 0, 4096));
  EXPECT_FALSE(is_known("tanh.approx.f16 %half, %ha;", 0, 0, 0));
}

TEST(UnknownResults, AConditionalWriteUnderAnUnknownGuardIsUnknown) {
  const std::string load = "ld.global.u32 %rc, [%c];\nsetp.ne.u32 %pc, %rc, 0;\nmov.u32 %word, 7;\n";
  EXPECT_FALSE(is_known(load + "@%pc mov.u32 %word, 8;", 0, 0, 4096));
}

TEST(UnknownResults, OneKnownSideDecidesPredicateLogic) {
  // unknown and false = false; unknown or true = true. Lane 1: a = 3 * 2, bit 0 clear.
  const std::string load = "ld.global.u32 %rc, [%c];\nsetp.ne.u32 %pc, %rc, 0;\n";
  const auto both = InstructionProbe(load + "and.pred %truth, %pa, %pc;").run(2, 0, 4096);
  ASSERT_TRUE(both);
  EXPECT_EQ((*both)[1], 0U);
  const auto either =
      InstructionProbe(load + "not.pred %pa, %pa;\nor.pred %truth, %pc, %pa;").run(2, 0, 4096);
  ASSERT_TRUE(either);
  EXPECT_EQ((*either)[1], 1U);
  EXPECT_FALSE(is_known(load + "or.pred %truth, %pa, %pc;", 2, 0, 4096));
}

TEST(UnknownResults, ASelectionOnUnknownDataIsUnknown) {
  const std::string load = "ld.global.u32 %rc, [%c];\nsetp.ne.u32 %pc, %rc, 0;\n";
  EXPECT_FALSE(is_known(load + "selp.b32 %word, %ra, %rb, %pc;", 2, 0, 4096));
}

TEST(UnknownResults, AnUnknownParameterIsUnknown) {
  const Kernel kernel = Kernel::of_text(probe_kernel("add.u64 %result, %b, %c;"));
  Launch l = launch({1, 1, 1}, {32, 1, 1}, {long_integer(1), long_integer(2), {}});
  auto b = kernel.execute(l);
  EXPECT_FALSE(store_shapes(b, kernel.list(), 0, tasklist::Space::global).at(0).place_known);
  l.arguments[2] = long_integer(3);
  b = kernel.execute(l);
  EXPECT_TRUE(store_shapes(b, kernel.list(), 0, tasklist::Space::global).at(0).place_known);
  l.arguments.clear(); // all unknown
  b = kernel.execute(l);
  EXPECT_FALSE(store_shapes(b, kernel.list(), 0, tasklist::Space::global).at(0).place_known);
}

} // namespace
} // namespace kerncast::slice_test
