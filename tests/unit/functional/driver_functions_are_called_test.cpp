// printf, assert, malloc and free in kernels.
#include <gmock/gmock.h>

#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string driver_functions =
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 l);\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n";

std::string bytes_of(const std::string& text) {
  std::string bytes;
  for (const char c : text)
    bytes += std::to_string(static_cast<unsigned char>(c)) + ", ";
  return bytes + "0";
}

// printf of what `stores` leaves in the 160 bytes at %SP; its result is in %y.
std::string print(const std::string& format, const std::string& stores) {
  return ".local .align 8 .b8 list[160];\n.reg .b64 %SP, %fmt;\nmov.u64 %SP, list;\n" + stores +
         ".global .align 1 .b8 text[" + std::to_string(format.size() + 1) + "] = {" + bytes_of(format) +
         "};\nmov.u64 %fmt, text;\n{ .param .b64 p0;\n.param .b64 p1;\n.param .b32 r0;\n"
         "st.param.b64 [p0], %fmt;\nst.param.b64 [p1], %SP;\ncall.uni (r0), vprintf, (p0, p1);\n"
         "ld.param.b32 %y, [r0]; }\nst.global.u32 [%pb], %y;\n";
}

struct Printed {
  std::string text, error;
  std::vector<std::uint32_t> results;
};

Printed printed(const std::string& body, std::uint32_t threads = 1, std::uint32_t ctas = 1,
                std::size_t workers = 1) {
  const Code code = Code::of_text(text_kernel(body, driver_functions));
  Device device;
  const Argument a = device.buffer(iota_words(64)), b = device.buffer(std::vector<std::uint32_t>(threads));
  functional::RunOptions options = on_threads(workers);
  Printed result;
  options.check_races = false;
  options.print = [&](std::string_view text) { result.text += text; };
  result.error = error_of(device.try_run(code, {ctas}, {threads}, {a, b, integer(0)}, options));
  result.results = device.read<std::uint32_t>(b);
  return result;
}

std::string printed_text(const std::string& format, const std::string& stores) {
  const Printed result = printed(print(format, stores));
  EXPECT_EQ(result.error, "") << format;
  return result.text;
}

TEST(Printf, ConvertsAsTheHostDoes) {
  const std::string minus_seven = "st.local.u32 [%SP], -7;\n",
                    big = "st.local.u64 [%SP], 81985529216486895;\n";
  EXPECT_EQ(printed_text("%d|", minus_seven), "-7|");
  EXPECT_EQ(printed_text("%u %%", minus_seven), "4294967289 %");
  EXPECT_EQ(printed_text("%5d|%", minus_seven), "   -7|%");
  EXPECT_EQ(printed_text("%-5d|", minus_seven), "-7   |");
  EXPECT_EQ(printed_text("%+.3i", "st.local.u32 [%SP], 7;\n"), "+007");
  EXPECT_EQ(printed_text("%hhd %", "st.local.u32 [%SP], 257;\n"), "1 %");
  EXPECT_EQ(printed_text("%hx", "st.local.u32 [%SP], 0x12345;\n"), "2345");
  EXPECT_EQ(printed_text("%#llx", big), "0x123456789abcdef");
  EXPECT_EQ(printed_text("%ld", big), "81985529216486895");
  EXPECT_EQ(printed_text("%zu", big), "81985529216486895");
  EXPECT_EQ(printed_text("%#o", "st.local.u32 [%SP], 8;\n"), "010");
  EXPECT_EQ(printed_text("%X", "st.local.u32 [%SP], 0xbeef;\n"), "BEEF");
  EXPECT_EQ(printed_text("<%c>", "st.local.u32 [%SP], 65;\n"), "<A>");
  EXPECT_EQ(printed_text("%p", "st.local.u64 [%SP], 4096;\n"), "0x1000");
  EXPECT_EQ(printed_text("%p", "st.local.u64 [%SP], 0;\n"), "(nil)");
}

TEST(Printf, ConvertsFloats) {
  const std::string value = "st.local.f64 [%SP], 0d400921fb54442d18;\n"; // pi
  EXPECT_EQ(printed_text("%f", value), "3.141593");
  EXPECT_EQ(printed_text("%8.2f|", value), "    3.14|");
  EXPECT_EQ(printed_text("%e", value), "3.141593e+00");
  EXPECT_EQ(printed_text("%G", value), "3.14159");
  EXPECT_EQ(printed_text("%a", value), "0x1.921fb54442d18p+1");
  EXPECT_EQ(printed_text("%f", "st.local.f64 [%SP], 0d7ff0000000000000;\n"), "inf");
}

// Each argument lies at a multiple of its size: 4 bytes, 4 left out, 8 bytes, 4 bytes.
TEST(Printf, FindsArgumentsAtMultiplesOfTheirSize) {
  EXPECT_EQ(printed_text("%d %lld %d",
                         "st.local.u32 [%SP], 1;\nst.local.u64 [%SP+8], 2;\nst.local.u32 [%SP+16], 3;\n"),
            "1 2 3");
  EXPECT_EQ(printed_text("%*d|%-*.*f|",
                         "st.local.u32 [%SP], 4;\nst.local.u32 [%SP+4], 7;\nst.local.u32 [%SP+8], 6;\n"
                         "st.local.u32 [%SP+12], 1;\nst.local.f64 [%SP+16], 0d3ff8000000000000;\n"),
            "   7|1.5   |");
}

TEST(Printf, TakesTextFromMemory) {
  const std::string word = ".global .align 1 .b8 word[6] = {" + bytes_of("hello") +
                           "};\nmov.u64 %l, word;\nst.local.u64 [%SP], %l;\n";
  EXPECT_EQ(printed_text("[%s]", word), "[hello]");
  EXPECT_EQ(printed_text("[%7.3s]", word), "[    hel]");
  EXPECT_EQ(printed_text("%s", "st.local.u64 [%SP], 0;\n"), "(null)");
  EXPECT_THAT(
      printed(print("%s", "st.local.u64 [%SP], 64;\n")).error,
      AllOf(HasSubstr("thread (0, 0, 0): load of 1 bytes outside of memory"), HasSubstr("address 0x40")));
}

TEST(Printf, GivesTheNumberOfArguments) {
  EXPECT_EQ(printed(print("%d %d %%", "")).results[0], 2U);
  EXPECT_EQ(printed(print("nothing", "")).results[0], 0U);
}

// What is no conversion is printed as it stands, and so are those behind 32 arguments.
TEST(Printf, LeavesTheRestAsItIs) {
  EXPECT_EQ(printed_text("%y %lq 100%", ""), "%y %lq 100%");
  std::string format;
  for (int k = 0; k < 33; ++k)
    format += "%hhd";
  EXPECT_EQ(printed_text(format, ""), std::string(32, '0') + "%hhd");
}

// CTA after CTA, lane after lane, at any number of threads.
TEST(Printf, IsInTheOrderOfTheGrid) {
  const std::string body = ".reg .b32 %c;\nmov.u32 %c, %ctaid.x;\n" +
                           print("%d.%d ", "st.local.u32 [%SP], %c;\nst.local.u32 [%SP+4], %t;\n");
  std::string expected;
  for (int cta = 0; cta < 40; ++cta)
    for (int t = 0; t < 40; ++t)
      expected += fmt::format("{}.{} ", cta, t);
  EXPECT_EQ(printed(body, 40, 40, 1).text, expected);
  EXPECT_EQ(printed(body, 40, 40, 4).text, expected);
}

// 1,048,576 bytes of a launch, 3,000 x 400 with more.
TEST(Printf, EndsAtTheBuffersSize) {
  const std::string body = print("%400d", "st.local.u32 [%SP], %t;\n");
  const Printed one = printed(body, 30, 100, 1), four = printed(body, 30, 100, 4);
  EXPECT_EQ(one.text.size(), std::size_t{1} << 20);
  EXPECT_EQ(one.text, four.text);
}

TEST(Assert, EndsTheKernelWithItsText) {
  const std::string assertion = ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, "
                                ".param .b64 n, .param .b64 s);\n";
  const auto text = [](const std::string& name, const std::string& value) {
    return ".global .align 1 .b8 " + name + "[" + std::to_string(value.size() + 1) + "] = {" +
           bytes_of(value) + "};\n";
  };
  const Code code = Code::of_text(text_kernel(
      "setp.ne.u32 %p, %t, 37;\n@%p bra FINE;\nmov.u64 %l, what;\nmov.u64 %m, file;\nmov.u64 %o, func;\n"
      "{ .param .b64 p0;\n.param .b64 p1;\n.param .b32 p2;\n.param .b64 p3;\n.param .b64 p4;\n"
      "st.param.b64 [p0], %l;\nst.param.b64 [p1], %m;\nst.param.b32 [p2], 12;\nst.param.b64 [p3], %o;\n"
      "st.param.b64 [p4], 1;\ncall.uni __assertfail, (p0, p1, p2, p3, p4); }\nFINE:",
      assertion + text("what", "t != 37") + text("file", "k.cu") + text("func", "void k(int)")));
  Device device;
  const Argument a = device.buffer(iota_words(64)), b = device.buffer(iota_words(64));
  EXPECT_THAT(error_of(device.try_run(code, {1}, {64}, {a, b, integer(0)})),
              AllOf(HasSubstr("kernel k, CTA (0, 0, 0), thread (37, 0, 0): assertion `t != 37' failed"),
                    HasSubstr("note: k.cu:12, in void k(int)")));
}

std::string allocate(const std::string& bytes, const std::string& to) {
  return "{ .param .b64 p0;\n.param .b64 r0;\nst.param.b64 [p0], " + bytes +
         ";\ncall.uni (r0), malloc, (p0);\nld.param.b64 " + to + ", [r0]; }\n";
}

std::string release(const std::string& from) {
  return "{ .param .b64 p0;\nst.param.b64 [p0], " + from + ";\ncall.uni free, (p0); }\n";
}

// A block for each thread, all there at once, kept apart.
TEST(Malloc, GivesEachThreadABlock) {
  const Printed result =
      printed(allocate("8", "%l") + "st.u32 [%l+4], %t;\nbar.sync 0;\nld.u32 %x, [%l+4];\n" +
                  "st.global.u32 [%pb], %x;\n" + release("%l"),
              64);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.results, iota_words(64));
}

// 8 MiB of heap: a block of 5 MiB leaves no room for another one, until it is free.
TEST(Malloc, GivesNullWithoutRoom) {
  const std::string is_null =
      "setp.eq.u64 %p, %m, 0;\nselp.b32 %x, 1, 0, %p;\nshl.b32 %y, %y, 1;\nor.b32 %y, %y, %x;\n";
  const std::string again = allocate("5242880", "%m") + is_null;
  const Printed result = printed("mov.u32 %y, 0;\n" + allocate("5242880", "%l") + again + release("%l") +
                                 again + release("%m") + allocate("8388608", "%m") + is_null + release("%m") +
                                 allocate("8388609", "%m") + is_null + "st.global.u32 [%pb], %y;\n");
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.results[0], 0b1001U);
}

TEST(Malloc, OfFreedMemoryIsAFault) {
  EXPECT_THAT(printed(allocate("8", "%l") + release("%l") + "st.u32 [%l], %t;\n").error,
              HasSubstr("of the heap, in no block from malloc"));
  EXPECT_THAT(printed(allocate("8", "%l") + release("%l") + release("%l")).error,
              HasSubstr("which malloc did not give, or which is free already"));
  EXPECT_THAT(printed(release("%pa")).error, HasSubstr("free of address"));
  EXPECT_EQ(printed("mov.u64 %l, 0;\n" + release("%l")).error, "");
}

TEST(Malloc, ContentsAreUnknownAtFirst) {
  EXPECT_THAT(printed(allocate("8", "%l") + "ld.u32 %x, [%l];\n").error,
              HasSubstr("load of 4 bytes whose contents are unknown"));
  EXPECT_THAT(printed(allocate("8", "%l") + "st.u32 [%l+8], %t;\n").error, HasSubstr("of the heap"));
}

} // namespace
} // namespace kerncast::functional_test
