// vote, match, shfl, redux, activemask: what each lane sees of the others.
#include <bit>

#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

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

} // namespace
} // namespace kerncast::functional_test
