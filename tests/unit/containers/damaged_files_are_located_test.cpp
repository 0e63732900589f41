// What a damaged or hostile container says: where in the file, and why. Layouts are those of fat_binary.h.
#include <algorithm>

#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include "containers/container.h"

namespace kerncast::containers {
namespace {

void put(std::string& bytes, std::size_t offset, std::uint64_t value, std::size_t width) {
  bytes.resize(std::max(bytes.size(), offset + width));
  for (std::size_t i = 0; i < width; ++i)
    bytes[offset + i] = static_cast<char>(value >> (8 * i));
}

constexpr std::uint64_t lz4_flag = 0x2000;
constexpr std::uint64_t zstd_flag = 0x8000;

// A fat binary (header 16 bytes) with one PTX entry (header 64 bytes): its payload lies at offset 0x50.
std::string fat_binary(const std::string& payload, std::uint64_t flags, std::uint64_t unpacked) {
  std::string bytes;
  put(bytes, 0, 0xBA55ED50, 4);
  put(bytes, 4, 1, 2);
  put(bytes, 6, 16, 2);
  put(bytes, 8, 64 + payload.size(), 8);
  put(bytes, 16, 1, 2);
  put(bytes, 20, 64, 4);
  put(bytes, 24, payload.size(), 8);
  put(bytes, 32, flags == 0 ? 0 : payload.size(), 4);
  put(bytes, 44, 80, 4);
  put(bytes, 56, flags, 8);
  put(bytes, 72, unpacked, 8);
  return bytes + payload;
}

std::string lz4(const std::string& text) {
  const int size = static_cast<int>(text.size());
  std::string out(static_cast<std::size_t>(LZ4_compressBound(size)), '\0');
  const int packed = LZ4_compress_default(text.data(), out.data(), size, static_cast<int>(out.size()));
  return out.substr(0, static_cast<std::size_t>(packed));
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  return out.substr(0, ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
}

// The text of the first entry, or the message of the first error.
std::string outcome(const std::string& bytes) {
  const SourceText file("damaged", bytes);
  const auto container = read_container(file);
  if (!container)
    return container.error().front().message;
  if (container->entries.empty())
    return "nothing";
  const auto text = unpack(file, container->entries.front());
  return text ? *text : text.error().front().message;
}

std::string changed(std::string bytes, std::size_t offset, std::uint64_t value, std::size_t width) {
  put(bytes, offset, value, width);
  return bytes;
}

std::string thousand() { return std::string(1000, 'x'); }

TEST(SoundFatBinaries, are_unpacked) {
  const std::string text = thousand();
  EXPECT_EQ(outcome(fat_binary(text + std::string(3, '\0'), 0, 0)), text);
  EXPECT_EQ(outcome(fat_binary(lz4(text), lz4_flag, 1000)), text);
  EXPECT_EQ(outcome(fat_binary(zstd(text), zstd_flag, 1000)), text);
  // Zeros between fat binaries are padding.
  EXPECT_EQ(outcome(fat_binary(text, 0, 0) + std::string(5, '\0') + fat_binary(text, 0, 0)), text);
}

TEST(Sizes, beyond_the_file_are_refused) {
  const std::string good = fat_binary("abcd", 0, 0); // 16 + 64 + 4 bytes
  EXPECT_EQ(outcome(good.substr(0, 10)), "offset 0x0: no fat binary begins here");
  EXPECT_EQ(outcome(good.substr(0, 83)), "offset 0x6: a fat binary of 16 + 68 bytes, but 83 are left");
  EXPECT_EQ(outcome(changed(good, 8, UINT64_MAX, 8)),
            "offset 0x6: a fat binary of 16 + 18446744073709551615 bytes, but 84 are left");
  EXPECT_EQ(outcome(changed(good, 6, 4, 2)), "offset 0x6: a fat binary of 4 + 68 bytes, but 84 are left");
  EXPECT_EQ(outcome(changed(good, 8, 40, 8)),
            "offset 0x10: the header of a program ends behind its fat binary");
  EXPECT_EQ(outcome(changed(good, 24, UINT64_MAX - 63, 8)),
            "offset 0x14: a program of 64 + 18446744073709551552 bytes, but 68 are left");
  // An entry of no bytes would be read again and again.
  EXPECT_EQ(outcome(changed(good, 20, 0, 4)), "offset 0x14: a program of 0 + 4 bytes, but 68 are left");
  EXPECT_EQ(outcome(good + "x"), "offset 0x54: no fat binary begins here");
  EXPECT_EQ(outcome(changed(good, 4, 2, 2)), "offset 0x4: a fat binary of version 2, not 1");
}

TEST(CompressedData, must_become_what_the_header_states) {
  const std::string text = thousand();
  for (const std::uint64_t size : {999U, 1001U}) {
    EXPECT_EQ(outcome(fat_binary(lz4(text), lz4_flag, size)), "offset 0x50: damaged LZ4 data");
    EXPECT_EQ(outcome(fat_binary(zstd(text), zstd_flag, size)), "offset 0x50: damaged zstd data");
  }
  EXPECT_EQ(outcome(fat_binary("garbage", zstd_flag, 100)), "offset 0x50: damaged zstd data");
  EXPECT_EQ(outcome(changed(fat_binary("12345678", lz4_flag, 1000), 32, 5000, 4)),
            "offset 0x20: 5000 compressed bytes in a program of 8 bytes");
  EXPECT_EQ(outcome(fat_binary(text, lz4_flag | zstd_flag, 1)),
            "offset 0x38: a program compressed both with LZ4 and with zstd");
}

TEST(DecompressionBombs, are_refused_before_memory_is_taken) {
  // Limit: 2^20 + 1024 x 1000 bytes = 2072576.
  EXPECT_EQ(outcome(fat_binary(thousand(), lz4_flag, 2072577)),
            "offset 0x50: 1000 compressed bytes that become 2072577: more than 2072576 is refused");
  EXPECT_EQ(
      outcome(fat_binary(thousand(), zstd_flag, UINT64_MAX)),
      "offset 0x50: 1000 compressed bytes that become 18446744073709551615: more than 2072576 is refused");
}

TEST(Counts, of_entries_are_limited) {
  // 65537 entries of a header each; the last begins behind 16 + 65536 x 64 bytes = 0x400010.
  std::string bytes = fat_binary("", 0, 0);
  const std::string entry = bytes.substr(16);
  for (int i = 0; i < 65536; ++i)
    bytes += entry;
  put(bytes, 8, bytes.size() - 16, 8);
  EXPECT_EQ(outcome(bytes), "offset 0x400010: more than 65536 programs in one file");
}

// A program of one section, .nv_fatbin, behind the 64 bytes of the header; then names, then 3 section
// headers.
std::string elf(const std::string& section) {
  const std::string names("\0.nv_fatbin\0", 12);
  std::string bytes("\x7f"
                    "ELF\x02\x01\x01");
  bytes.resize(64);
  const std::size_t names_at = 64 + section.size();
  const std::size_t table = names_at + names.size();
  put(bytes, 0x10, 2, 2);  // ET_EXEC
  put(bytes, 0x12, 62, 2); // x86-64
  put(bytes, 0x28, table, 8);
  put(bytes, 0x3A, 64, 2);
  put(bytes, 0x3C, 3, 2);
  put(bytes, 0x3E, 2, 2);
  bytes += section + names;
  put(bytes, table + 64, 1, 4); // the section's name
  put(bytes, table + 64 + 4, 1, 4);
  put(bytes, table + 64 + 0x18, 64, 8);
  put(bytes, table + 64 + 0x20, section.size(), 8);
  put(bytes, table + 128 + 4, 3, 4);
  put(bytes, table + 128 + 0x18, names_at, 8);
  put(bytes, table + 128 + 0x20, names.size(), 8);
  bytes.resize(table + 192);
  return bytes;
}

TEST(ElfFiles, are_read_section_by_section) {
  EXPECT_EQ(outcome(elf(fat_binary(thousand(), 0, 0))), thousand());
  EXPECT_EQ(outcome(elf("damaged")), "offset 0x40: no fat binary begins here");
  EXPECT_EQ(outcome(elf("")), "an ELF file without CUDA code");
}

TEST(ElfFiles, that_are_damaged_say_where) {
  const std::string good = elf(""); // section headers at 64 + 0 + 12 = 0x4c
  EXPECT_EQ(outcome(good.substr(0, 63)),
            "offset 0x0: an ELF file begins with 64 bytes, which this one does not have");
  EXPECT_EQ(outcome(changed(good, 4, 1, 1)), "offset 0x4: not a 64-bit little-endian ELF file");
  EXPECT_EQ(outcome(changed(good, 0x28, 0, 8)), "offset 0x28: this ELF file has no sections");
  EXPECT_EQ(outcome(changed(good, 0x28, UINT64_MAX, 8)),
            "offset 0x28: the table of sections lies behind the end of the file");
  EXPECT_EQ(outcome(changed(good, 0x3C, 4, 2)),
            "offset 0x4c: the table of sections ends behind the end of the file");
  EXPECT_EQ(outcome(changed(good, 0x3A, 40, 2)), "offset 0x3a: section headers of an ELF file have 64 bytes");
  EXPECT_EQ(outcome(changed(good, 0x3E, 3, 2)),
            "offset 0x3e: the section with the sections' names does not exist");
  // The second section's header lies at 0x4c + 64 = 0x8c; its one byte lies behind the end.
  EXPECT_EQ(outcome(changed(changed(good, 0x8C + 0x18, good.size(), 8), 0x8C + 0x20, 1, 8)),
            "offset 0x8c: a section ends behind the end of the file");
}

TEST(ElfFiles, with_overlapping_sections_are_read_once_for_each) {
  // Two headers name the same bytes: two entries.
  std::string bytes = elf(fat_binary(thousand(), 0, 0));
  const std::size_t table = bytes.size() - 192;
  bytes.replace(table, 64, bytes.substr(table + 64, 64));
  EXPECT_EQ(read_container(SourceText("twice", bytes)).value().entries.size(), 2U);
}

} // namespace
} // namespace kerncast::containers
