// Loads and stores of every width, in every space.
#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

TEST(Memory, NarrowLoadsExtendBySign) {
  const auto words =
      words_after("ld.global.s8 %x, [%pa];\nld.global.u8 %y, [%pa];\nld.global.s16 %z, [%pa];\n"
                  "add.s32 %x, %x, %y;\nadd.s32 %x, %x, %z;\nst.global.u32 [%pb], %x;",
                  {0xff80, 0x7f}, 2);
  EXPECT_EQ(static_cast<std::int32_t>(words[0]), -128 + 128 - 128);
  EXPECT_EQ(words[1], 3 * 0x7fU);
}

TEST(Memory, VectorsAreElementsOneBehindTheOther) {
  const auto words = words_after("ld.global.v4.u32 {%x, %y, %z, _}, [%a];\nmad.lo.u32 %x, %y, 10, %x;\n"
                                 "mad.lo.u32 %x, %z, 100, %x;\nst.global.u32 [%pb], %x;",
                                 {1, 2, 3, 4}, 1);
  EXPECT_EQ(words[0], 321U);
}

TEST(Memory, ConstantsAndGlobalsHaveTheirInitialValues) {
  const auto words =
      words_after("ld.const.u32 %x, [c+4];\nld.global.u32 %y, [g];\nadd.u32 %x, %x, %y;\n"
                  "st.global.u32 [g], %x;\nld.global.u32 %z, [g];\nst.global.u32 [%pb], %z;",
                  {}, 1, 0, ".const .align 4 .u32 c[2] = {1, 20};\n.global .align 4 .u32 g = 300;\n");
  EXPECT_EQ(words[0], 320U);
}

// Each module is gone before the next one is read, which may then lie where it lay.
TEST(Memory, VariablesAreTheModulesOwnWhateverCameBefore) {
  Device device;
  const Argument out = device.buffer(std::vector<std::uint32_t>(1));
  for (std::uint32_t value = 1; value <= 20; ++value) {
    device.run(Code::of_text(text_kernel("ld.const.u32 %x, [c];\nst.global.u32 [%pb], %x;",
                                         ".const .align 4 .u32 c = " + std::to_string(value) + ";\n")),
               {1}, {1}, {out, out, integer(0)});
    EXPECT_EQ(device.read<std::uint32_t>(out)[0], value);
  }
}

// 36 bytes, and 12 up to the next multiple of what the widest access needs.
TEST(Memory, SharedVariablesBeginWhereTheWidestAccessCan) {
  const auto second_begins = [](const std::string& access) {
    return words_after(".shared .align 4 .b8 first[36];\n.shared .align 4 .b8 second[64];\n"
                       "mov.u32 %x, second;\n" +
                           access + "st.global.u32 [%pb], %x;",
                       {}, 1)[0];
  };
  EXPECT_EQ(second_begins("st.shared.u32 [%x], %t;\n"), 36U);
  EXPECT_EQ(second_begins("st.shared.v4.u32 [%x], {%t, %t, %t, %t};\n"), 48U);
}

TEST(Memory, GenericAddressesReachSharedAndLocalMemory) {
  const auto words = words_after(
      ".local .align 4 .b8 own[8];\n.shared .align 4 .b8 s[128];\n"
      "mov.u64 %l, own;\ncvta.local.u64 %l, %l;\nst.u32 [%l+4], %t;\n"
      "mov.u64 %m, s;\ncvta.shared.u64 %m, %m;\nadd.u64 %m, %m, %o;\nst.u32 [%m], 5;\n"
      "ld.local.u32 %x, [own+4];\nld.u32 %y, [%m];\nadd.u32 %x, %x, %y;\nst.global.u32 [%pb], %x;",
      {});
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(words[t], t + 5); // each thread has local memory of its own
}

TEST(Memory, AsynchronousCopiesFillTheRestWithZeros) {
  // 4 of 8 bytes come from memory.
  const auto words = words_after(
      ".shared .align 8 .b8 s[8];\nmov.u32 %x, s;\nmov.u32 %y, 4;\n"
      "cp.async.ca.shared.global [%x], [%a], 8, %y;\ncp.async.wait_all;\n"
      "ld.shared.u32 %z, [%x];\nld.shared.u32 %w, [%x+4];\nadd.u32 %z, %z, %w;\nst.global.u32 [%pb], %z;",
      {40, 2}, 1);
  EXPECT_EQ(words[0], 40U);
}

TEST(Memory, OfSharedIsZeroForEachCta) {
  const Code code =
      Code::of_text(text_kernel("mov.u32 %x, s;\nld.shared.u32 %y, [%x];\nadd.u32 %y, %y, 1;\n"
                                "st.shared.u32 [%x], %y;\nmov.u32 %z, %ctaid.x;\nmul.wide.u32 %o, %z, 4;\n"
                                "add.u64 %pb, %b, %o;\nst.global.u32 [%pb], %y;",
                                ".shared .align 4 .b8 s[4];\n"));
  Device device;
  const Argument b = device.buffer(std::vector<std::uint32_t>(3));
  device.run(code, {3}, {1}, {b, b, integer(0)});
  EXPECT_EQ(device.read<std::uint32_t>(b), (std::vector<std::uint32_t>{1, 1, 1}));
}

// struct { char first; int n; double x; char last; }: compilers load `last` and what is behind it as a word.
// Of x only the lower half is stated.
TEST(Memory, StructuresAreZerosWhereTheirLayoutLeavesGaps) {
  const Code code =
      Code::of_text(".version 8.0\n.target sm_80\n.address_size 64\n"
                    ".visible .entry k(.param .align 8 .b8 s[24], .param .u64 out)\n{\n"
                    ".reg .b32 %r<4>;\n.reg .b64 %l<4>;\nld.param.u64 %l1, [out];\n"
                    "ld.param.u32 %r1, [s];\nld.param.u32 %r2, [s+16];\nadd.u32 %r1, %r1, %r2;\n"
                    "ld.param.u64 %l2, [s+8];\ncvt.u32.u64 %r3, %l2;\nadd.u32 %r1, %r1, %r3;\n"
                    "st.global.u32 [%l1], %r1;\nret;\n}\n");
  Device device;
  const Argument out = device.buffer(std::vector<std::uint32_t>(1));
  Launch launch;
  launch.arguments = {{Argument::Kind::structure, 0, 0, 0}, out};
  launch.members = {
      {0, 0, 1, integer(1)}, {0, 4, 4, integer(9)}, {0, 8, 4, integer(20)}, {0, 16, 1, integer(3)}};
  const auto ran = code.kernel().run(launch, device.memory);
  ASSERT_TRUE(ran) << error_of(ran);
  EXPECT_EQ(device.read<std::uint32_t>(out)[0], 24U);
  launch.members.erase(launch.members.begin() + 2);
  EXPECT_NE(error_of(code.kernel().run(launch, device.memory)).find("reads byte 8 of parameter 1"),
            std::string::npos);
}

// Lanes whose predicate holds read nothing, wherever the source lies, and write zeros.
TEST(Memory, CopiesMayIgnoreTheirSource) {
  const auto words =
      words_after("setp.ge.u32 %p, %t, 4;\nmov.u32 %x, s;\nshl.b32 %y, %t, 2;\nadd.u32 %x, %x, %y;\n"
                  "@%p add.s64 %pa, %pa, 1048576;\n"
                  "cp.async.ca.shared.global [%x], [%pa], 4, %p;\ncp.async.wait_all;\n"
                  "ld.shared.u32 %w, [%x];\nst.global.u32 [%pb], %w;\n",
                  {7, 8, 9, 10}, 32, 0, ".shared .align 16 .b8 s[128];\n");
  EXPECT_EQ(words[3], 10U);
  EXPECT_EQ(words[4], 0U);
}

} // namespace
} // namespace kerncast::functional_test
