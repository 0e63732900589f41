// Little-endian numbers at offsets that a file states and that therefore may lie anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "support/diagnostics.h"

namespace kerncast::containers {

// Does [offset, offset + bytes) lie in a file of `size` bytes? Sums may overflow, so there are none.
inline bool lies_within(std::uint64_t offset, std::uint64_t bytes, std::uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

// `bytes` (at most 8) at an offset that lies in the file.
inline std::uint64_t number_at(std::string_view file, std::uint64_t offset, std::uint32_t bytes) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < bytes; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(file[offset + i])} << (8 * i);
  return value;
}

inline tl::unexpected<Diagnostics> fail_at(const SourceText& file, std::uint64_t offset,
                                           std::string_view message, std::vector<std::string> notes) {
  return fail(file.error({}, 1, fmt::format("offset {:#x}: {}", offset, message), std::move(notes)));
}

} // namespace kerncast::containers
