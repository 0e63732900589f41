// Operations with a member mask wait for the threads of the warp that it names, wherever these are, and not
// for those that have left the kernel.
#include <gmock/gmock.h>

#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Words = std::vector<std::uint32_t>;

// Lane t leaves the loop in iteration t & 3, or the kernel if t is n or more: so the post-dominator of the
// loop's branches is the kernel's end, and lanes come to the ballot one after the other.
constexpr const char* ballot_behind_loop = "mov.u32 %x, 0;\nand.b32 %y, %t, 3;\nLOOP:\n"
                                           "setp.ge.u32 %p, %t, %n;\n@%p bra OUT;\n"
                                           "setp.eq.u32 %p, %x, %y;\n@%p bra DONE;\n"
                                           "add.u32 %x, %x, 1;\nbra LOOP;\nDONE:\n"
                                           "setp.eq.u32 %q, 0, 0;\nvote.sync.ballot.b32 %z, %q, -1;\n"
                                           "st.global.u32 [%pb], %z;\nOUT:";

TEST(Members, MeetBehindALoopThatTheyLeaveOneAfterTheOther) {
  EXPECT_EQ(words_after(ballot_behind_loop, {}, 32, 99), Words(32, 0xffffffffU));
  const Words some = words_after(ballot_behind_loop, {}, 32, 22);
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(some[t], t < 22 ? 0x003fffffU : 0U);
}

TEST(Members, ThatBranchedToTheEndAreNotWaitedFor) {
  const Words words = words_after("setp.ge.u32 %p, %t, 11;\n@%p bra DONE;\n"
                                  "vote.sync.ballot.b32 %z, !%p, -1;\nst.global.u32 [%pb], %z;\nDONE:",
                                  {});
  EXPECT_EQ(words[0], 0x7ffU);
  EXPECT_EQ(words[11], 0U);
}

// Odd and even lanes wait at different bar.warp.sync, and read each other's words.
TEST(Members, MeetAtDifferentBarriersOfTheWarp) {
  const std::string exchange = "st.shared.u32 [%x], %t;\nbar.warp.sync -1;\nld.shared.u32 %w, [%y];\n";
  const Words words = words_after("shl.b32 %x, %t, 2;\nmov.u32 %z, s;\nadd.u32 %x, %x, %z;\n"
                                  "xor.b32 %y, %x, 4;\nand.b32 %z, %t, 1;\nsetp.eq.u32 %p, %z, 1;\n"
                                  "@%p bra ODD;\n" +
                                      exchange + "add.u32 %w, %w, 100;\nbra DONE;\nODD:\n" + exchange +
                                      "DONE:\nst.global.u32 [%pb], %w;",
                                  {}, 32, 0, shared_words);
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(words[t], (t ^ 1) + (t % 2 == 0 ? 100 : 0));
}

// One side shuffles %x into %x, the other one %y into %z and a predicate; each lane sees one of the other
// side.
TEST(Members, SeeEachOthersRegistersFromDifferentInstructions) {
  const Words words =
      words_after("add.u32 %x, %t, 100;\nadd.u32 %y, %t, 500;\nxor.b32 %w, %t, 23;\n"
                  "setp.ge.u32 %p, %t, 16;\n@%p bra ELSE;\n"
                  "shfl.sync.idx.b32 %x, %x, %w, 31, -1;\nst.global.u32 [%pb], %x;\nbra DONE;\n"
                  "ELSE:\nshfl.sync.idx.b32 %z|%q, %y, %w, 31, -1;\n"
                  "@%q st.global.u32 [%pb], %z;\nDONE:",
                  {});
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(words[t], (t ^ 23) + (t < 16 ? 500 : 100));
}

// The lower half of the warp parts into two that name each other only, the upper half names all.
TEST(Members, MeetThoseThatNameThemToo) {
  const Words words =
      words_after("setp.ge.u32 %p, %t, 16;\n@%p bra REST;\nand.b32 %y, %t, 1;\n"
                  "setp.eq.u32 %q, %y, 0;\n@%q bra EVEN;\nredux.sync.add.u32 %x, %t, 0xffff;\n"
                  "bra REST;\nEVEN:\nredux.sync.add.u32 %x, %t, 0xffff;\nREST:\n"
                  "@%p mov.u32 %x, 1000;\nredux.sync.add.u32 %z, %x, -1;\n"
                  "st.global.u32 [%pb], %z;",
                  {});
  EXPECT_EQ(words, Words(32, 16 * 120 + 16 * 1000));
}

// The value that is shuffled also says from where.
TEST(Members, ShareRegistersWithWhatTheySelectBy) {
  const Words words = words_after("xor.b32 %w, %t, 31;\nadd.u32 %x, %t, 500;\nsetp.ge.u32 %p, %t, 16;\n"
                                  "@%p bra ELSE;\nshfl.sync.idx.b32 %z, %w, %w, 31, -1;\nbra DONE;\nELSE:\n"
                                  "shfl.sync.idx.b32 %z, %x, %w, 31, -1;\nDONE:\nst.global.u32 [%pb], %z;",
                                  {});
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(words[t], t < 16 ? (31 - t) + 500 : t);
}

// Lanes with a guard, and a loop that only another group's vote keeps up.
TEST(Members, OfOneGroupMayWaitApart) {
  EXPECT_EQ(words_after("setp.lt.u32 %p, %t, 16;\n@%p redux.sync.add.u32 %z, %t, -1;\n"
                        "@!%p redux.sync.add.u32 %z, %t, -1;\nst.global.u32 [%pb], %z;",
                        {}),
            Words(32, 496));
  EXPECT_EQ(
      words_after("setp.lt.u32 %p, %t, 16;\n@%p bra OTHER;\nmov.u32 %x, 0;\nCOUNT:\nadd.u32 %x, %x, 1;\n"
                  "setp.lt.u32 %q, %x, 9000;\nvote.sync.any.pred %q, %q, -1;\n@%q bra COUNT;\n"
                  "bra DONE;\nOTHER:\nsetp.gt.u32 %q, %t, 99;\nvote.sync.any.pred %q, %q, -1;\n"
                  "@%q bra OTHER;\nmov.u32 %x, 9000;\nDONE:\nst.global.u32 [%pb], %x;",
                  {}),
      Words(32, 9000));
}

// All threads come to the barrier as one, though they left the loop apart.
TEST(Members, OfAWarpMeetAtTheCtasBarrier) {
  const Code code = Code::of_text(text_kernel(
      "mov.u32 %z, s;\nshl.b32 %w, %t, 2;\nadd.u32 %w, %w, %z;\nand.b32 %y, %t, 3;\nmov.u32 %x, 0;\nLOOP:\n"
      "setp.ge.u32 %p, %t, %n;\n@%p bra OUT;\nsetp.eq.u32 %p, %x, %y;\n@%p bra DONE;\nadd.u32 %x, %x, 1;\n"
      "bra LOOP;\nDONE:\nst.shared.u32 [%w], %t;\nbar.sync 0;\nxor.b32 %y, %t, 63;\nshl.b32 %y, %y, 2;\n"
      "add.u32 %y, %y, %z;\nld.shared.u32 %x, [%y];\nst.global.u32 [%pb], %x;\nOUT:",
      ".shared .align 4 .b8 s[512];\n"));
  Device device;
  const Argument b = device.buffer(Words(64));
  device.run(code, {1}, {64}, {b, b, integer(99)});
  const Words words = device.read<std::uint32_t>(b);
  for (std::uint32_t t = 0; t < 64; ++t)
    EXPECT_EQ(words[t], 63 - t);
}

TEST(Members, ThatComeToAnotherOperationAreADeadlock) {
  const auto error = [](const std::string& other) {
    const Code code = Code::of_text(text_kernel("setp.ge.u32 %p, %t, 16;\n@%p bra ELSE;\n"
                                                "shfl.sync.idx.b32 %x, %t, 20, 31, -1;\nbra DONE;\nELSE:\n" +
                                                other + "\nDONE:"));
    Device device;
    const Argument b = device.buffer(Words(32));
    return error_of(device.try_run(code, {1}, {32}, {b, b, integer(0)}, {}));
  };
  EXPECT_THAT(error("bar.warp.sync -1;"),
              AllOf(HasSubstr("thread (16, 0, 0): deadlock in a warp: this thread waits for threads of its "
                              "member mask that do not come (lanes 0x0000ffff)"),
                    HasSubstr("test.ptx:24:")));
  EXPECT_THAT(error("shfl.sync.up.b32 %x, %t, 1, 0, -1;"), HasSubstr("deadlock in a warp"));
  // These leave the kernel in the end.
  EXPECT_EQ(error("bar.warp.sync 0xffff0000;"), "");
  EXPECT_EQ(error("exit;"), "");
}

} // namespace
} // namespace kerncast::functional_test
