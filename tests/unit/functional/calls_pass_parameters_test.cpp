// Functions get their arguments through .param memory; kernels take arguments of 1 and 2 bytes and
// structures.
#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

TEST(Parameters, GoThroughParamMemory) {
  const std::string scale =
      ".func (.param .b32 r) scale(.param .b32 x, .param .align 8 .b8 pair[8])\n{\n"
      ".reg .b32 %u, %v, %w;\nld.param.u32 %u, [x];\nld.param.u32 %v, [pair];\n"
      "ld.param.u32 %w, [pair+4];\nmad.lo.u32 %u, %u, %v, %w;\nst.param.b32 [r], %u;\nret;\n}\n";
  const auto words =
      words_after("{ .param .b32 p0;\n.param .align 8 .b8 p1[8];\n.param .b32 r0;\n"
                  "st.param.b32 [p0], %t;\nst.param.v2.b32 [p1], {3, 5};\n"
                  "call.uni (r0), scale, (p0, p1);\nld.param.b32 %x, [r0]; }\nst.global.u32 [%pb], %x;",
                  {}, 32, 0, scale);
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(words[t], 3 * t + 5);
}

TEST(Parameters, OfOneAndTwoBytes) {
  const Code code =
      Code::of_text(".version 8.0\n.target sm_80\n.address_size 64\n"
                    ".visible .entry k(.param .u8 c, .param .s16 s, .param .u64 out)\n{\n"
                    ".reg .b16 %h;\n.reg .b32 %x, %y;\n.reg .b64 %o;\n"
                    "ld.param.u8 %h, [c];\ncvt.u32.u16 %x, %h;\nld.param.s16 %y, [s];\n"
                    "ld.param.u64 %o, [out];\nst.global.u32 [%o], %x;\nst.global.u32 [%o+4], %y;\nret;\n}\n");
  Device device;
  const Argument out = device.buffer(std::vector<std::int32_t>(2));
  device.run(code, {1}, {1}, {integer(0x1ff), integer(-3), out});
  EXPECT_EQ(device.read<std::int32_t>(out), (std::vector<std::int32_t>{255, -3}));
}

// Two functions of one prototype, one of another; an address is kept in memory and compared.
TEST(Parameters, GoToTheFunctionWhoseAddressARegisterHolds) {
  const std::string functions =
      ".func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %u;\nld.param.u32 %u, [x];\n"
      "shl.b32 %u, %u, 1;\nst.param.b32 [r], %u;\nret;\n}\n"
      ".func nothing()\n{\nret;\n}\n"
      ".func (.param .b32 r) next(.param .b32 x)\n{\n.reg .b32 %u;\nld.param.u32 %u, [x];\n"
      "add.u32 %u, %u, 1;\nst.param.b32 [r], %u;\nret;\n}\n"
      ".global .align 8 .u64 table[3] = {twice, nothing, next};\n";
  const std::string call = "{ .param .b32 p0;\n.param .b32 r0;\nst.param.b32 [p0], %t;\n"
                           "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                           "call (r0), %l, (p0), P;\nld.param.b32 %x, [r0]; }\nst.global.u32 [%pb], %x;";
  const auto words = words_after("and.b32 %x, %t, 1;\nmul.wide.u32 %l, %x, 16;\nmov.u64 %m, table;\n"
                                 "add.u64 %l, %l, %m;\nld.global.u64 %l, [%l];\n" +
                                     call,
                                 {}, 32, 0, functions);
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(words[t], t % 2 == 0 ? 2 * t : t + 1);
  const auto chosen = words_after("mov.u64 %l, next;\nsetp.lt.u32 %p, %t, 5;\n@%p mov.u64 %l, twice;\n"
                                  "setp.eq.u64 %q, %l, 0;\n@%q trap;\n" +
                                      call,
                                  {}, 32, 0, functions);
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(chosen[t], t < 5 ? 2 * t : t + 1);
}

TEST(Parameters, AnAliasHasItsFunctionsAddress) {
  const auto words = words_after("mov.u64 %l, f;\nmov.u64 %m, e;\nsetp.eq.u64 %p, %l, %m;\n"
                                 "selp.b32 %x, 1, 0, %p;\nst.global.u32 [%pb], %x;",
                                 {}, 1, 0, ".func f()\n{\nret;\n}\n.func e();\n.alias e, f;\n");
  EXPECT_EQ(words[0], 1U);
}

TEST(Parameters, AreReadThroughTheirAddress) {
  const auto words =
      words_after("mov.u64 %l, n;\nld.param.u32 %x, [%l];\nst.global.u32 [%pb], %x;", {}, 1, 99);
  EXPECT_EQ(words[0], 99U);
}

} // namespace
} // namespace kerncast::functional_test
