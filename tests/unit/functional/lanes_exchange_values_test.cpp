// vote, match, shfl, redux, activemask: what each lane sees of the others.
#include <bit>

#include <gmock/gmock.h>

#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Exchange, ABallotHasABitPerLaneWhosePredicateHolds) {
  // Odd lanes: 0xaaaaaaaa.
  const auto words = words_after("and.b32 %x, %t, 1;\nsetp.eq.u32 %p, %x, 1;\n"
                                 "vote.sync.ballot.b32 %y, %p, -1;\nst.global.u32 [%pb], %y;",
                                 {});
  EXPECT_EQ(words, std::vector<std::uint32_t>(32, 0xaaaaaaaaU));
}

TEST(Exchange, AVoteAsksTheLanesOfItsMemberMask) {
  // Each half of the warp votes for itself; only lane 3 has the predicate.
  const auto words =
      words_after("setp.eq.u32 %p, %t, 3;\nsetp.lt.u32 %q, %t, 16;\n"
                  "selp.b32 %x, 65535, 0xffff0000, %q;\n"
                  "vote.sync.any.pred %p, %p, %x;\nselp.b32 %y, 1, 0, %p;\nst.global.u32 [%pb], %y;",
                  {});
  EXPECT_EQ(words[0], 1U);
  EXPECT_EQ(words[15], 1U);
  EXPECT_EQ(words[16], 0U);
}

TEST(Exchange, DivergedLanesVoteAmongThemselves) {
  const auto words = words_after("mov.u32 %y, 0;\nsetp.ge.u32 %p, %t, 8;\n@%p bra DONE;\n"
                                 "activemask.b32 %y;\nDONE:\nst.global.u32 [%pb], %y;",
                                 {});
  EXPECT_EQ(words[0], 0xffU);
  EXPECT_EQ(words[8], 0U);
}

TEST(Exchange, ShufflesFollowTheirMode) {
  const auto shuffled = [](const std::string& mode, const std::string& b, const std::string& c) {
    return words_after("add.u32 %x, %t, 100;\nshfl.sync." + mode + ".b32 %y|%p, %x, " + b + ", " + c +
                           ", -1;\n@!%p add.u32 %y, %y, 1000;\nst.global.u32 [%pb], %y;",
                       {});
  };
  const auto down = shuffled("down", "4", "31"); // lane + 4; the last four keep theirs, out of range
  EXPECT_EQ(down[0], 104U);
  EXPECT_EQ(down[27], 131U);
  EXPECT_EQ(down[28], 1128U);
  const auto up = shuffled("up", "4", "0");
  EXPECT_EQ(up[3], 1103U);
  EXPECT_EQ(up[31], 127U);
  EXPECT_EQ(shuffled("bfly", "1", "31")[6], 107U);
  // Segments of 8 lanes: c = (32 - 8) << 8 | 31.
  EXPECT_EQ(shuffled("idx", "2", "6175")[13], 110U);
}

TEST(Exchange, MatchFindsLanesWithTheSameValue) {
  const auto words =
      words_after("and.b32 %x, %t, 3;\nmatch.any.sync.b32 %y, %x, -1;\nst.global.u32 [%pb], %y;", {});
  EXPECT_EQ(words[0], 0x11111111U);
  EXPECT_EQ(words[5], 0x22222222U);
}

TEST(Exchange, ReductionsGiveEachLaneTheGroupsResult) {
  const auto words = words_after("redux.sync.add.s32 %x, %t, -1;\nredux.sync.max.u32 %y, %t, -1;\n"
                                 "shl.b32 %y, %y, 16;\nor.b32 %y, %y, %x;\nst.global.u32 [%pb], %y;",
                                 {});
  EXPECT_EQ(words, std::vector<std::uint32_t>(32, 31U << 16 | 496)); // 0 + ... + 31 = 496
}

// Threads that a mask names and that go elsewhere, or wait elsewhere: those that have left are not waited
// for.
TEST(Exchange, WarnsOfMasksThatNameThreadsElsewhere) {
  const auto warnings_of = [](const std::string& body, std::uint32_t ctas = 1) {
    const Code code = Code::of_text(text_kernel(body));
    std::string all;
    for (const std::size_t workers : {1, 3}) {
      Device device;
      const Argument b = device.buffer(std::vector<std::uint32_t>(32));
      const auto result = device.try_run(code, {ctas}, {32}, {b, b, integer(0)}, on_threads(workers));
      EXPECT_TRUE(result) << error_of(result);
      const std::string warnings = result ? render(result->warnings) : "";
      EXPECT_TRUE(workers == 1 || warnings == all);
      all = warnings;
    }
    return all;
  };
  const std::string half = "setp.ge.u32 %p, %t, 16;\n@%p bra ELSE;\n",
                    full = "shfl.sync.idx.b32 %x, %t, 20, 31, -1;\n";
  EXPECT_THAT(warnings_of(half + full + "bra DONE;\nELSE:\nbar.warp.sync -1;\nDONE:"),
              AllOf(HasSubstr("test.ptx:21:1: warning: kernel k, CTA (0, 0, 0), thread (0, 0, 0): the member "
                              "mask 0xffffffff names threads that do not execute this instruction together "
                              "with this one: lanes 0x0000ffff of the warp do")));
  EXPECT_THAT(warnings_of("mov.u32 %y, %ctaid.x;\nsetp.lt.u32 %q, %y, 5;\n@%q bra DONE;\n" + half + full +
                              "ELSE:\nDONE:",
                          20),
              HasSubstr("CTA (5, 0, 0)"));
  EXPECT_EQ(warnings_of("setp.ge.u32 %p, %t, 16;\n@%p exit;\n" + full), "");
  EXPECT_EQ(warnings_of(half + "shfl.sync.idx.b32 %x, %t, 3, 31, 65535;\nELSE:"), "");
}

} // namespace
} // namespace kerncast::functional_test
