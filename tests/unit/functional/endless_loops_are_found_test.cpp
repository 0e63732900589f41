// A loop that comes to the same decision for ever is refused at once, whatever else it does.
#include <gmock/gmock.h>

#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string error_of_loop(const std::string& body, std::uint64_t max_visits = UINT64_MAX) {
  const Code code = Code::of_text(text_kernel(body));
  Device device;
  const Argument a = device.buffer(iota_words(64)), b = device.buffer(iota_words(64));
  functional::RunOptions options;
  options.max_visits_per_warp = max_visits; // so that nothing else ends it
  return error_of(device.try_run(code, {1}, {64}, {a, b, integer(0)}, options));
}

// The condition stays, all else changes.
TEST(EndlessLoop, IsFoundByWhatDecides) {
  EXPECT_THAT(error_of_loop("mov.u32 %x, 0;\nLOOP:\nadd.u32 %x, %x, 1;\nmad.lo.u32 %y, %x, %x, 7;\n"
                            "st.global.u32 [%pb], %y;\nsetp.ne.u32 %p, %t, 99;\n@%p bra LOOP;\n"),
              AllOf(HasSubstr("this loop never ends"), HasSubstr("thread (0, 0, 0)")));
}

// 1, 3, 9, 27, 81, 243 mod 256: never 2.
TEST(EndlessLoop, MayComeRound) {
  EXPECT_THAT(error_of_loop("mov.u32 %x, 1;\nLOOP:\nmul.lo.u32 %x, %x, 3;\nand.b32 %x, %x, 255;\n"
                            "setp.ne.u32 %p, %x, 2;\n@%p bra LOOP;\n"),
              HasSubstr("this loop never ends"));
}

TEST(EndlessLoop, MayHaveNoCondition) {
  EXPECT_THAT(error_of_loop("LOOP:\nbar.sync 0;\nbra LOOP;\n"), HasSubstr("this loop never ends"));
}

TEST(EndlessLoop, MayLieAroundLoopsThatEnd) {
  EXPECT_THAT(error_of_loop("LOOP:\nmov.u32 %x, 0;\nINNER:\nadd.u32 %x, %x, 1;\nsetp.lt.u32 %p, %x, 50;\n"
                            "@%p bra INNER;\nsetp.gt.u32 %q, %x, 10;\n@%q bra LOOP;\n"),
              HasSubstr("this loop never ends"));
}

// The same inner loop 20,000 times, each time with the same values.
TEST(EndlessLoop, IsNoneThatIsEnteredAgain) {
  EXPECT_EQ(
      error_of_loop("mov.u32 %y, 0;\nLOOP:\nmov.u32 %x, 0;\nINNER:\nadd.u32 %x, %x, 1;\n"
                    "setp.lt.u32 %p, %x, 3;\n@%p bra INNER;\nadd.u32 %y, %y, 1;\nsetp.lt.u32 %q, %y, 20000;\n"
                    "@%q bra LOOP;\n"),
      "");
}

// Thread 63 ends what all others wait for.
TEST(EndlessLoop, IsNoneThatOthersEnd) {
  EXPECT_EQ(error_of_loop(
                "setp.eq.u32 %p, %t, 63;\n@%p bra TELL;\nWAIT:\nld.volatile.global.u32 %x, [%b];\n"
                "setp.eq.u32 %q, %x, 0;\n@%q bra WAIT;\nbra DONE;\nTELL:\nst.volatile.global.u32 [%b], 5;\n"
                "DONE:"),
            "");
}

} // namespace
} // namespace kerncast::functional_test
