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

// Bits 46 to 48 tell the format; bit 61 more of the swizzle.
std::optional<SharedMatrix> SharedMatrix::of_tensor_unit(std::uint64_t descriptor) {
  constexpr std::uint64_t format = 0b001;
  const bool is_relative = (descriptor >> 52 & 1) == 0, has_other_swizzle = (descriptor >> 61 & 1) != 0;
  auto matrix = of(descriptor);
  if (!matrix || !is_relative || (descriptor >> 46 & 7) != format)
    return std::nullopt;
  if (!has_other_swizzle)
    return matrix;
  matrix->swizzle_bytes = 128;
  matrix->atom_bytes = 32;
  return descriptor >> 61 == 1 ? matrix : std::nullopt;
}

std::uint64_t SharedMatrix::address(std::uint32_t row, std::uint32_t k, std::uint32_t bits,
                                    bool k_major) const {
  constexpr std::uint64_t piece = 16;
  const std::uint64_t core_rows = atom_bytes == piece ? 8 : 4;
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
  // Address bits 7 and up flip as many from 4 on, or from 5.
  const std::uint64_t flipped = swizzle_bytes / atom_bytes - 1;
  return at ^ (at >> 7 & flipped) * atom_bytes;
}

} // namespace kerncast::warp
