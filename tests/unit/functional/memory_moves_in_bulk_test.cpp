// st.bulk, masked bulk copies, and multimem on one device.
#include <gmock/gmock.h>

#include "target_kernel.h"

namespace kerncast::functional_test {
namespace {

using ::testing::HasSubstr;

// Thread t's word of shared memory is t + 1 before `body`, with s in %y, and its result afterwards.
std::string on_shared_words(const std::string& body) {
  return "mov.u32 %y, s;\nshl.b32 %z, %t, 2;\nadd.u32 %z, %y, %z;\nadd.u32 %x, %t, 1;\n"
         "st.shared.b32 [%z], %x;\nbar.sync 0;\nsetp.eq.u32 %p, %t, 0;\n" +
         body + "\nbar.sync 0;\nld.shared.b32 %x, [%z];\nst.global.b32 [%pb], %x;";
}
constexpr const char* eight_words = ".shared .align 16 .b8 s[32];\n";

TEST(BulkStores, AreZeros) {
  EXPECT_EQ(words_after_on("sm_100", on_shared_words("@%p st.bulk.weak.shared::cta [%y+8], 16, 0;"), {}, 8,
                           eight_words),
            (Words{1, 2, 0, 0, 0, 0, 7, 8}));
}

std::string error_of_bulk_move(const std::string& body) {
  const Code code = Code::of_text(on_target("sm_100", text_kernel(on_shared_words(body), eight_words)));
  Device device;
  const Argument a = device.buffer(Words(8)), b = device.buffer(Words(8));
  return error_of(device.try_run(code, {1}, {8}, {a, b, integer(0)}));
}

TEST(BulkStores, StayInSharedMemoryAndAreWholeWords) {
  EXPECT_THAT(error_of_bulk_move("mov.u64 %l, 12;\n@%p st.bulk.weak.shared::cta [%y+8], %l, 0;"),
              HasSubstr("st.bulk of 12 bytes"));
  EXPECT_THAT(error_of_bulk_move("@%p st.bulk.weak.shared::cta [%y+8], 32, 0;"),
              HasSubstr("store of 8 bytes outside of shared memory"));
}

// What b holds after `body`, 0xaaaaaaaa before; thread t's word of shared memory at %y is 0x01010101 + t.
Words after_copy_to_b(const std::string& body) {
  const std::string text =
      text_kernel("mov.u32 %y, s;\nshl.b32 %z, %t, 2;\nadd.u32 %z, %y, %z;\n"
                  "mov.b32 %x, 0x01010101;\nadd.u32 %x, %x, %t;\nst.shared.b32 [%z], %x;\n"
                  "bar.sync 0;\nsetp.eq.u32 %p, %t, 0;\n" +
                      body,
                  eight_words);
  const Code code = Code::of_text(on_target("sm_100", text));
  Device device;
  const Argument a = device.buffer(Words(8)), b = device.buffer(Words(8, 0xaaaaaaaa));
  device.run(code, {1}, {8}, {a, b, integer(0)});
  return device.read<std::uint32_t>(b);
}

// Of each 16 bytes the first and those of the second word.
const Words masked_words{0xaaaaaa01, 0x01010102, 0xaaaaaaaa, 0xaaaaaaaa,
                         0xaaaaaa05, 0x01010106, 0xaaaaaaaa, 0xaaaaaaaa};

TEST(BulkCopies, TakeTheBytesOfTheirMask) {
  EXPECT_EQ(after_copy_to_b("mov.b16 %h, 0x00f1;\n"
                            "@%p cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%b], [%y], 32, %h;"),
            masked_words);
}

// From a, which ends before the last 8 of 48 bytes, to 12 words of shared memory that are 7 before.
Expected<functional::RunResult> try_ignoring(const std::string& ignored, Words& out) {
  const std::string text = text_kernel(
      "mov.u32 %y, s;\nmov.u32 %z, bar;\nmul.lo.u32 %x, %t, 4;\nadd.u32 %x, %x, %y;\n"
      "st.shared.b32 [%x], 7;\nsetp.eq.u32 %p, %t, 0;\n@%p mbarrier.init.shared.b64 [%z], 1;\nbar.sync 0;\n"
      "@!%p bra WAIT;\nmbarrier.arrive.expect_tx.shared.b64 %l, [%z], 48;\n"
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes" +
          ignored +
          ", [%z];\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %q, [%z], 0;\n@!%q bra WAIT;\n"
          "ld.shared.b32 %x, [%x];\nst.global.b32 [%pb], %x;",
      ".shared .align 16 .b8 s[48];\n.shared .align 8 .b64 bar;\n");
  const Code code = Code::of_text(on_target("sm_90", text));
  Device device;
  const Argument a = device.buffer(iota_words(10)), b = device.buffer(Words(12));
  auto ran = device.try_run(code, {1}, {12}, {a, b, integer(0)});
  out = device.read<std::uint32_t>(b);
  return ran;
}

TEST(BulkCopies, MayIgnoreBytesAtTheirEnds) {
  Words out;
  EXPECT_TRUE(try_ignoring(".ignore_oob [%y], [%a], 48, 4, 8", out));
  EXPECT_EQ(out, (Words{7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 7, 7}));
  EXPECT_THAT(error_of(try_ignoring(".ignore_oob [%y], [%a], 48, 4, 4", out)), HasSubstr("load of 40 bytes"));
  EXPECT_THAT(error_of(try_ignoring(".ignore_oob [%y], [%a], 48, 16, 8", out)),
              HasSubstr("bulk copy that ignores 16 and 8 bytes"));
  EXPECT_THAT(error_of(try_ignoring(".ignore_oob [%y], [%a+4], 48, 4, 8", out)), HasSubstr("aligned"));
  EXPECT_THAT(error_of(try_ignoring(" [%y], [%a], 48", out)), HasSubstr("load of 48 bytes"));
}

// On one device a multimem address leads to one copy.
TEST(Multimem, LoadsWhatIsThere) {
  EXPECT_EQ(words_after_on("sm_90",
                           "multimem.ld_reduce.relaxed.gpu.global.add.u32 %x, [%pa];\n"
                           "multimem.st.relaxed.gpu.global.u32 [%pb], %x;",
                           iota_words(32)),
            iota_words(32));
  EXPECT_EQ(words_after_on("sm_100a",
                           "and.b32 %x, %t, 30;\nmul.wide.u32 %l, %x, 4;\nadd.u64 %l, %a, %l;\n"
                           "multimem.ld_reduce.relaxed.gpu.global.max.v2.e4m3x4 {%x, %y}, [%l];\n"
                           "add.u32 %x, %x, %y;\nst.global.u32 [%pb], %x;",
                           {0x11223344, 0x01010101, 7, 8}, 4),
            (Words{0x12233445, 0x12233445, 15, 15}));
}

TEST(Multimem, IsStoredAndReducedToAsynchronously) {
  const Words words = words_after_on("sm_100",
                                     "multimem.st.async.release.gpu.global.u32 [%pb], %t;\nbar.sync 0;\n"
                                     "multimem.red.async.release.sys.global.add.u32 [%b], 1;",
                                     {}, 4);
  EXPECT_EQ(words, (Words{4, 1, 2, 3}));
}

TEST(Multimem, IsCopiedAndReducedToInBulk) {
  const std::string copy = "@%p multimem.cp.async.bulk.global.shared::cta.bulk_group";
  const std::string reduce = "@%p multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group";
  EXPECT_EQ(after_copy_to_b(copy + " [%b], [%y], 16;"),
            (Words{0x01010101, 0x01010102, 0x01010103, 0x01010104, 0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa,
                   0xaaaaaaaa}));
  EXPECT_EQ(after_copy_to_b("mov.b16 %h, 0x00f1;\n" + copy + ".cp_mask [%b], [%y], 32, %h;"), masked_words);
  EXPECT_EQ(after_copy_to_b(reduce + ".add.u32 [%b], [%y], 16;"),
            (Words{0xabababab, 0xabababac, 0xabababad, 0xabababae, 0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa,
                   0xaaaaaaaa}));
  EXPECT_EQ(after_copy_to_b(copy.substr(0, copy.find(".global")) +
                            ".relaxed.gpu.global.shared::cta.bulk_group.b128 [%b], [%y], 16;")[3],
            0x01010104U);
  EXPECT_EQ(after_copy_to_b(reduce + ".max.s32 [%b], [%y], 16;")[3], 0x01010104U); // 0xaaaaaaaa is negative
}

TEST(Multimem, ReducesIntoIt) {
  const Words counted = words_after_on("sm_90",
                                       "multimem.red.relaxed.gpu.global.add.u32 [%b], %t;\n"
                                       "multimem.red.relaxed.gpu.global.max.s32 [%b+4], %t;\n"
                                       "mov.b32 %x, 0x3c004000;\n" // 1 and 2 as halves
                                       "multimem.red.relaxed.gpu.global.add.f16x2 [%b+8], %x;\n"
                                       "mov.f32 %f, 0f3f800000;\n"
                                       "multimem.red.relaxed.gpu.global.add.v2.f32 [%b+16], {%f, %f};",
                                       {});
  EXPECT_EQ(counted[0], 31U * 32 / 2);
  EXPECT_EQ(counted[1], 31U);
  EXPECT_EQ(counted[2], 0x50005400U); // 32 and 64
  EXPECT_EQ(counted[4], std::bit_cast<std::uint32_t>(32.0F));
  EXPECT_EQ(counted[5], std::bit_cast<std::uint32_t>(32.0F));
}

} // namespace
} // namespace kerncast::functional_test
