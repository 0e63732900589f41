#include "support/packed_bytes.h"

#include <new>

#include <zstd.h>

namespace kerncast {
namespace {

constexpr int level = 1;

// No other error can occur.
std::size_t or_out_of_memory(std::size_t size) {
  if (ZSTD_isError(size) != 0U)
    throw std::bad_alloc();
  return size;
}

} // namespace

std::string packed(std::string_view bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(
      or_out_of_memory(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), level)));
  return packed;
}

std::string unpacked(std::string_view packed) {
  std::string bytes(ZSTD_getFrameContentSize(packed.data(), packed.size()), '\0');
  or_out_of_memory(ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size()));
  return bytes;
}

} // namespace kerncast
