// Text compressed with zstd is the text or an error that says how much could be read.
#include "support/compressed_text.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include "../../temporary_folder.h"

namespace kerncast {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 17; // of a frame at most (RFC 8878, section 3.1.1.2.4)

// One frame with a checksum, as the program zstd writes.
std::string frame(std::string_view text) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

// Lines of 8 bytes.
std::string numbered_lines(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += std::to_string(1'000'000 + i) + '\n';
  return text;
}

std::string outcome(std::string_view packed, std::uint64_t max_bytes = max_decompressed_bytes) {
  const Expected<std::string> text = decompress_text("t.jsonl.zst", packed, max_bytes);
  return text ? *text : render(text.error());
}

TEST(CompressedText, IsWhatWasCompressed) {
  EXPECT_EQ(outcome(frame("")), "");
  EXPECT_EQ(outcome(frame("a\nb")), "a\nb");
  // More than one block, and more than one window.
  const std::string text = numbered_lines(2'000'000);
  EXPECT_EQ(outcome(frame(text)), text);
}

TEST(CompressedText, MayConsistOfSeveralFrames) {
  EXPECT_EQ(outcome(frame("a\n") + frame("") + frame("b\n")), "a\nb\n");
}

TEST(CompressedText, IsToldByTheNamesOfJson) {
  EXPECT_EQ(uncompressed_name("f/a.jsonl.zst"), "f/a.jsonl");
  EXPECT_EQ(uncompressed_name("a.json.zst"), "a.json");
  EXPECT_EQ(uncompressed_name("a.ptx.zst"), "a.ptx.zst");
  EXPECT_TRUE(is_compressed("a.json.zst"));
  EXPECT_FALSE(is_compressed("a.json"));
}

TEST(CompressedText, ThatWasCutSaysHowFarItGoes) {
  // The second block needs its last byte, the checksum follows: one block of 2^17 bytes can be read, which
  // has 2^17 / 8 = 16384 lines.
  const std::string whole = frame(numbered_lines(2 * block_bytes / 8));
  EXPECT_EQ(
      outcome(whole.substr(0, whole.size() - 5)),
      "t.jsonl.zst: error: the zstd data end too early: the text could be read up to byte 131072, in line "
      "16385\nt.jsonl.zst: note: the file was cut; copy or write it again\n");
  // Without the end of the checksum all of the text is there, but nothing says that it is right.
  EXPECT_NE(outcome(whole.substr(0, whole.size() - 1)).find("up to byte 262144, in line 32769"),
            std::string::npos);
  EXPECT_NE(outcome("").find("end too early: the text could be read up to byte 0, in line 1"),
            std::string::npos);
}

TEST(CompressedText, ThatIsDamagedSaysHowFarItIsRight) {
  std::string packed = frame("a\nb\n");
  EXPECT_EQ(
      outcome(packed + "garbage"),
      "t.jsonl.zst: error: damaged zstd data (Unknown frame descriptor): the text could be read up to byte "
      "4, in line 3\nt.jsonl.zst: note: the file is damaged; copy or write it again\n");
  packed.back() = static_cast<char>(packed.back() ^ 1);
  EXPECT_NE(outcome(packed).find("damaged zstd data (Restored data doesn't match checksum)"),
            std::string::npos);
}

TEST(CompressedText, IsNotPlainText) {
  EXPECT_EQ(outcome("{\"format\": \"kerncast-app/1\"}"),
            "t.jsonl.zst: error: no zstd data, which the name promises\n"
            "t.jsonl.zst: note: compress it ('zstd FILE') or leave .zst out of the name\n");
}

TEST(CompressedText, OfALargerWindowIsRefused) {
  // Magic number; window descriptor 28 of exponent 10 + 18 (RFC 8878, section 3.1.1.1.2): 256 MiB.
  const std::string header{'\x28', '\xb5', '\x2f', '\xfd', '\x00', static_cast<char>(18 << 3), 0, 0, 0};
  EXPECT_NE(outcome(header).find("note: compress it again, with --long=27 at most"), std::string::npos)
      << outcome(header);
}

TEST(DecompressionBombs, AreRefusedAtTheLimit) {
  const std::string packed = frame(std::string(1'000'000, ' '));
  EXPECT_EQ(outcome(packed, 1'000'000), std::string(1'000'000, ' '));
  EXPECT_EQ(outcome(packed, 999'999),
            "t.jsonl.zst: error: " + std::to_string(packed.size()) +
                " compressed bytes that become more than 999999\nt.jsonl.zst: note: split the file\n");
  // Frames are counted together: 2 x 1,000,000 > 1,999,999.
  EXPECT_NE(outcome(packed + packed, 1'999'999).find("become more than 1999999"), std::string::npos);
}

TEST(ReadSource, DecompressesByName) {
  const test::TemporaryFolder folder;
  const std::string packed = frame("a\nb\n");
  ASSERT_TRUE(write_file(folder.path() / "t.jsonl.zst", packed));
  ASSERT_TRUE(write_file(folder.path() / "t.zst", packed));
  const auto source = read_source(folder.path() / "t.jsonl.zst");
  ASSERT_TRUE(source);
  EXPECT_EQ(source->name(), folder.path() / "t.jsonl.zst");
  EXPECT_EQ(source->text(), "a\nb\n");
  EXPECT_EQ(read_source(folder.path() / "t.zst").value().text(), packed);
}

} // namespace
} // namespace kerncast
