// A word of a buffer that one CTA changes and another one loads: a warning, whoever comes first and on
// however many threads. CTA c has the words 32 c to 32 c + 31.
#include <gmock/gmock.h>

#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint32_t ctas = 8, threads_per_cta = 32;

// The thread's number in the grid in %t, the address of its word of a in %pa, of b in %pb.
std::string warnings_of(const std::string& body, std::size_t workers = 1, bool asks = true) {
  const Code code =
      Code::of_text(text_kernel("mov.u32 %x, %ctaid.x;\nmad.lo.u32 %t, %x, 32, %t;\nmul.wide.u32 %o, %t, 4;\n"
                                "add.s64 %pa, %a, %o;\nadd.s64 %pb, %b, %o;\n" +
                                body));
  Device device;
  const Argument a = device.buffer(iota_words(ctas * threads_per_cta + threads_per_cta)),
                 b = device.buffer(std::vector<std::uint32_t>(ctas * threads_per_cta));
  functional::RunOptions options = on_threads(workers);
  options.warns_of_loads = asks;
  const auto result = device.try_run(code, {ctas}, {threads_per_cta}, {a, b, integer(0)}, options);
  EXPECT_TRUE(result) << error_of(result);
  return result ? render(result->warnings) : "";
}

// Word k becomes what word k + 1 is, and 1: the first word of a CTA is the last one's neighbour.
constexpr const char* in_place = "ld.global.u32 %y, [%pa+4];\nadd.u32 %y, %y, 1;\nst.global.u32 [%pa], %y;";

TEST(LoadsOfChangedWords, AreWarnedOf) {
  const std::string warning = warnings_of(in_place);
  EXPECT_THAT(warning,
              AllOf(HasSubstr("test.ptx:26:1: warning: kernel k, CTA (1, 0, 0), thread (0, 0, 0): race: "),
                    HasSubstr("changes byte 128 of buffer 'b0', which CTA 0 loads"),
                    HasSubstr("line 24 is the first")));
  for (const std::size_t workers : {2, 4})
    EXPECT_EQ(warnings_of(in_place, workers), warning);
  EXPECT_EQ(warnings_of(in_place, 1, false), "");
}

TEST(LoadsOfChangedWords, ByManyNameTheOneThatStores) {
  // CTA 3 changes one word that all load.
  EXPECT_THAT(
      warnings_of("setp.eq.u32 %p, %t, 96;\n@%p st.global.u32 [%a+8], 7;\nld.global.u32 %y, [%a+8];\n"
                  "st.global.u32 [%pb], %y;"),
      AllOf(HasSubstr("CTA (3, 0, 0)"), HasSubstr("changes byte 8 of buffer 'b0', which several CTAs load")));
}

TEST(LoadsOfChangedWords, OfOneCtaAreItsOwnAffair) {
  EXPECT_EQ(warnings_of("ld.global.u32 %y, [%pa];\nadd.u32 %y, %y, 1;\nst.global.u32 [%pa], %y;"), "");
}

TEST(LoadsOfChangedWords, AreNotThoseOfOtherBuffersOrOfStoresThatChangeNothing) {
  EXPECT_EQ(warnings_of("ld.global.u32 %y, [%pa+4];\nst.global.u32 [%pb], %y;"), "");
  // iota: word k holds k.
  EXPECT_EQ(warnings_of("ld.global.u32 %y, [%pa+4];\nst.global.u32 [%pa], %t;"), "");
}

// Kernels whose CTAs may wait for each other or race on purpose.
TEST(LoadsOfChangedWords, MayBeOrderedByOtherThings) {
  EXPECT_EQ(warnings_of("ld.volatile.global.u32 %y, [%pa+4];\nst.volatile.global.u32 [%pa], 5;"), "");
  EXPECT_EQ(warnings_of(std::string("atom.global.add.u32 %z, [%b], 1;\n") + in_place), "");
  EXPECT_EQ(warnings_of(std::string("membar.gl;\n") + in_place), "");
  EXPECT_EQ(warnings_of(std::string("ld.acquire.gpu.global.u32 %z, [%b];\n") + in_place), "");
  // What nobody waits for orders nothing.
  EXPECT_NE(warnings_of(std::string("red.global.add.u32 [%b], 1;\n") + in_place), "");
}

} // namespace
} // namespace kerncast::functional_test
