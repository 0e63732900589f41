#include "elf.h"

#include "bytes.h"

namespace kerncast::containers {
namespace {

constexpr std::uint64_t file_header_bytes = 64;
constexpr std::uint64_t section_header_bytes = 64;
constexpr std::uint32_t no_bits = 8;                 // SHT_NOBITS: no bytes in the file
constexpr std::uint32_t index_in_section_0 = 0xFFFF; // SHN_XINDEX

struct SectionTable {
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
  std::uint64_t names = 0; // section with the names
};

std::vector<std::string> truncated() { return {"is the file truncated? copy or build it again"}; }

Expected<SectionTable> read_table(const SourceText& file) {
  const std::string_view bytes = file.text();
  SectionTable table{number_at(bytes, 0x28, 8), number_at(bytes, 0x3C, 2), number_at(bytes, 0x3E, 2)};
  if (table.offset == 0)
    return fail_at(file, 0x28, "this ELF file has no sections",
                   {"give the file before sections were stripped"});
  if (number_at(bytes, 0x3A, 2) != section_header_bytes)
    return fail_at(file, 0x3A, "section headers of an ELF file have 64 bytes", truncated());
  if (!lies_within(table.offset, section_header_bytes, bytes.size()))
    return fail_at(file, 0x28, "the table of sections lies behind the end of the file", truncated());
  // Larger numbers than 16 bits hold stand in the first section's header.
  if (table.count == 0)
    table.count = number_at(bytes, table.offset + 0x20, 8);
  if (table.names == index_in_section_0)
    table.names = number_at(bytes, table.offset + 0x28, 4);
  if (table.count > (bytes.size() - table.offset) / section_header_bytes)
    return fail_at(file, table.offset, "the table of sections ends behind the end of the file", truncated());
  if (table.names >= table.count)
    return fail_at(file, 0x3E, "the section with the sections' names does not exist", truncated());
  return table;
}

struct RawSection {
  std::uint64_t name = 0; // offset in the names
  std::uint32_t type = 0;
  Section section;
};

RawSection raw_section(std::string_view bytes, std::uint64_t header) {
  RawSection raw;
  raw.name = number_at(bytes, header, 4);
  raw.type = static_cast<std::uint32_t>(number_at(bytes, header + 4, 4));
  raw.section.offset = number_at(bytes, header + 0x18, 8);
  raw.section.bytes = number_at(bytes, header + 0x20, 8);
  return raw;
}

} // namespace

bool is_elf(std::string_view bytes) {
  return bytes.starts_with("\x7f"
                           "ELF");
}

Expected<ElfFile> read_elf(const SourceText& file) {
  const std::string_view bytes = file.text();
  if (bytes.size() < file_header_bytes)
    return fail_at(file, 0, "an ELF file begins with 64 bytes, which this one does not have", truncated());
  if (bytes[4] != 2 || bytes[5] != 1)
    return fail_at(file, 4, "not a 64-bit little-endian ELF file", {"build the program for a 64-bit host"});
  const Expected<SectionTable> table = read_table(file);
  if (!table)
    return tl::unexpected(table.error());
  ElfFile elf;
  elf.type = static_cast<std::uint32_t>(number_at(bytes, 0x10, 2));
  elf.machine = static_cast<std::uint32_t>(number_at(bytes, 0x12, 2));
  elf.flags = static_cast<std::uint32_t>(number_at(bytes, 0x30, 4));
  const Section names = raw_section(bytes, table->offset + table->names * section_header_bytes).section;
  if (!lies_within(names.offset, names.bytes, bytes.size()))
    return fail_at(file, names.offset, "the sections' names lie behind the end of the file", truncated());
  const std::string_view all_names = bytes.substr(names.offset, names.bytes);
  for (std::uint64_t i = 0; i < table->count; ++i) {
    const std::uint64_t header = table->offset + i * section_header_bytes;
    RawSection raw = raw_section(bytes, header);
    if (raw.type == no_bits || raw.section.bytes == 0)
      continue;
    if (!lies_within(raw.section.offset, raw.section.bytes, bytes.size()))
      return fail_at(file, header, "a section ends behind the end of the file", truncated());
    if (raw.name < all_names.size())
      raw.section.name = all_names.substr(raw.name, all_names.find('\0', raw.name) - raw.name);
    elf.sections.push_back(raw.section);
  }
  return elf;
}

} // namespace kerncast::containers
