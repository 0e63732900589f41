// PTX ISA, section 9.7.15.5.1: rows of 16 bytes, eight of them a core matrix of 128 bytes. Without swizzle
// the core matrices lie dense; with one, eight rows of 32, 64 or 128 bytes make an atom, in which 16-byte
// pieces are exchanged by address bits.
#include "warp/wgmma_op.h"

namespace kerncast::warp {

std::optional<SharedMatrix> SharedMatrix::of(std::uint64_t descriptor) {
  constexpr std::uint32_t swizzles[] = {16, 128, 64, 32};
  const auto field = [&](std::uint32_t bit) { return (descriptor >> bit & 0x3fff) << 4; };
  if ((descriptor >> 49 & 7) != 0)
    return std::nullopt;
  return SharedMatrix{field(0), field(16), field(32), swizzles[descriptor >> 62]};
}

std::uint64_t SharedMatrix::address(std::uint32_t row, std::uint32_t k, std::uint32_t bits,
                                    bool k_major) const {
  constexpr std::uint64_t piece = 16, core_rows = 8;
  // `along`: bytes in the direction of neighbours; `across`: the other index.
  const std::uint64_t along = std::uint64_t{k_major ? k : row} * bits / 8, across = k_major ? row : k;
  const std::uint64_t in_core = across % core_rows * swizzle_bytes + along % piece,
                      group = across / core_rows;
  std::uint64_t at = start + in_core;
  if (swizzle_bytes == piece)
    // Along k by the leading offset, along m or n by the stride.
    at += k_major ? group * stride_bytes + along / piece * leading_bytes
                  : group * leading_bytes + along / piece * stride_bytes;
  else
    at +=
        group * stride_bytes + along % swizzle_bytes / piece * piece + along / swizzle_bytes * leading_bytes;
  // Address bits 7 and up flip as many from 4 on.
  const std::uint64_t flipped = swizzle_bytes / piece - 1;
  return at ^ ((at >> 7 & flipped) << 4);
}

} // namespace kerncast::warp
