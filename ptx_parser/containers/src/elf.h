// Sections of an ELF file (System V ABI, chapter 4): 64-bit, little-endian.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/diagnostics.h"

namespace kerncast::containers {

struct Section {
  std::string_view name;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct ElfFile {
  std::uint32_t type = 0;        // e_type
  std::uint32_t machine = 0;     // e_machine
  std::uint32_t flags = 0;       // e_flags
  std::vector<Section> sections; // those with bytes in the file
};

inline constexpr std::uint32_t relocatable_type = 1; // ET_REL
inline constexpr std::uint32_t cuda_machine = 190;   // EM_CUDA

bool is_elf(std::string_view bytes);
Expected<ElfFile> read_elf(const SourceText& file);

} // namespace kerncast::containers
