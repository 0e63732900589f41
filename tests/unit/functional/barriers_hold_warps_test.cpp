// Warps of a CTA wait for each other at barriers; reductions over a barrier count threads.
#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

TEST(Barriers, LetAWarpReadWhatAnotherStored) {
  // Thread t reads what thread 127 - t stored: warps 0 and 3, 1 and 2 swap.
  const auto words =
      words_after("mov.u32 %x, s;\nshl.b32 %y, %t, 2;\nadd.u32 %z, %x, %y;\nst.shared.u32 [%z], %t;\n"
                  "bar.sync 0;\nsub.u32 %y, 508, %y;\nadd.u32 %z, %x, %y;\nld.shared.u32 %w, [%z];\n"
                  "st.global.u32 [%pb], %w;",
                  {}, 128, 0, shared_words);
  for (std::uint32_t t = 0; t < 128; ++t)
    EXPECT_EQ(words[t], 127 - t);
}

TEST(Barriers, CountThreadsWhosePredicateHolds) {
  const auto words =
      words_after("setp.lt.u32 %p, %t, 70;\nbar.red.popc.u32 %x, 0, %p;\nbar.red.and.pred %q, 0, %p;\n"
                  "selp.b32 %y, 1000, 0, %q;\nadd.u32 %x, %x, %y;\nst.global.u32 [%pb], %x;",
                  {}, 96);
  EXPECT_EQ(words, std::vector<std::uint32_t>(96, 70));
}

TEST(Barriers, DoNotWaitForWarpsThatLeft) {
  const auto words =
      words_after("setp.ge.u32 %p, %t, 64;\n@%p ret;\nbar.sync 0;\nst.global.u32 [%pb], 7;", {}, 128);
  EXPECT_EQ(words[63], 7U);
  EXPECT_EQ(words[64], 0U);
}

TEST(Barriers, OfMoreThreadsThanThereAreNeverComplete) {
  Device device;
  const Argument a = device.buffer(std::vector<std::uint32_t>(1));
  const auto run = [&](const std::string& body) {
    return error_of(device.try_run(Code::of_text(text_kernel(body)), {1}, {50}, {a, a, integer(0)}));
  };
  EXPECT_EQ(run("bar.sync 0, 64;"), ""); // the CTA's two warps
  EXPECT_NE(run("bar.sync 0, 96;").find("deadlock: 2 of 2 warps"), std::string::npos);
}

// Warps 1 to 3 bring values and only arrive; warp 0 waits for all 128 threads at barrier 1.
TEST(Barriers, ArrivalDoesNotWait) {
  const auto words =
      words_after("mov.u32 %x, s;\nshl.b32 %y, %t, 2;\nadd.u32 %z, %x, %y;\nst.shared.u32 [%z], %t;\n"
                  "setp.lt.u32 %p, %t, 32;\n@%p bra WAIT;\nbar.arrive 1, 128;\nret;\nWAIT:\n"
                  "bar.sync 1, 128;\nld.shared.u32 %w, [%z+384];\nst.global.u32 [%pb], %w;",
                  {}, 128, 0, shared_words);
  EXPECT_EQ(words[0], 96U);
  EXPECT_EQ(words[31], 127U);
}

} // namespace
} // namespace kerncast::functional_test
