// Claims: what L2 is asked for by SMs that fetch code which their cache cannot hold grows with the GPCs that
// are at work, and not with the SMs: those of a GPC fetch in step.
#include "answers.h"

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

constexpr int instructions = 4000; // of 16 bytes

// A chain of multiply-adds, and a store, which a thread makes.
std::string chain() {
  std::string ptx =
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry chain(.param .u64 out)\n{\n"
      ".reg .f32 %f<3>;\n.reg .b64 %rd<2>;\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\n"
      "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\ncvt.rn.f32.u32 %f1, %r1;\n";
  for (int i = 0; i < instructions; ++i)
    ptx += "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  return ptx + "st.global.f32 [%rd1], %f1;\nret;\n}\n";
}

double l2_bytes(const std::string& file, int ctas) {
  const Json app =
      first_predicted(file + " --gpu rtx2080ti --block 32 --arg buf:4096 --no-interval --exact --grid " +
                      std::to_string(ctas));
  return app.at("kernels").at(0).at("l2_bytes");
}

TEST(CodeFetches, OfSmsThatShareACacheAreOfThoseAtWork) {
  const Folder folder;
  const std::string file = folder.write("chain.ptx", chain());
  const double of_one = l2_bytes(file, 1);
  EXPECT_GT(of_one, 16.0 * instructions);
  EXPECT_LT(of_one, 16.0 * (instructions + 100));
  EXPECT_NEAR(l2_bytes(file, 6) / of_one, 6, 0.05); // one SM of each GPC; each stores a sector, too
  EXPECT_NEAR(l2_bytes(file, 68) / of_one, 68 / 11.3, 0.05);
}

} // namespace
} // namespace kerncast::test
