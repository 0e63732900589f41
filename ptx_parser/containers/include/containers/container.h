// Where PTX lies in what nvcc writes beside .ptx files: host programs, shared libraries and objects (ELF),
// fat binaries, cubins. 64-bit little-endian files only; code for other vendors and static archives are left
// out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostics.h"

namespace kerncast::containers {

enum class Payload : std::uint8_t { ptx, machine_code, other };
enum class Encoding : std::uint8_t {
  plain,
  lz4,
  zstd,
  debug_lines, // .nv_debug_ptx_txt of a cubin: NUL behind each line
};

// One program for one architecture.
struct Entry {
  Payload payload = Payload::other;
  Encoding encoding = Encoding::plain;
  std::uint32_t version_major = 0; // of the PTX ISA
  std::uint32_t version_minor = 0;
  std::uint32_t architecture = 0;   // 75 for sm_75; 0: not told
  std::uint32_t unit = 0;           // translation unit: which fat binary of the file, from 0
  std::uint64_t offset = 0;         // of the payload in the file
  std::uint64_t bytes = 0;          // of the payload in the file
  std::uint64_t unpacked_bytes = 0; // as the file states; of compressed payloads
};

enum class ContainerKind : std::uint8_t { fat_binary, program, object, cubin };

struct Container {
  ContainerKind kind = ContainerKind::fat_binary;
  std::vector<Entry> entries; // in the order of the file
};

// Is this a file for read_container? Tells by its first bytes.
bool is_container(std::string_view bytes);

// What the file holds, without unpacking it. An error, with the offset in the file, for what is damaged.
Expected<Container> read_container(const SourceText& file);

// The PTX text of an entry of `file`.
Expected<std::string> unpack(const SourceText& file, const Entry& entry);

} // namespace kerncast::containers
