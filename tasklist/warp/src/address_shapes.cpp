#include "warp/address_shapes.h"

#include <bit>

namespace kerncast::warp {
namespace {

std::uint64_t interleaved(std::uint64_t address, std::uint32_t lane, std::uint64_t element_bytes) {
  return address / element_bytes * (element_bytes * lanes_per_warp) + lane * element_bytes +
         address % element_bytes;
}

} // namespace

void interleave(Lanes<std::uint64_t>& addresses, LaneMask lanes, std::uint16_t bytes) {
  const std::uint64_t element_bytes = std::has_single_bit(bytes) && bytes <= 16 ? bytes : 4;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if (has(lanes, i))
      addresses[i] = interleaved(addresses[i], i, element_bytes);
}

void make_relative(const Lanes<std::uint64_t>& addresses, LaneMask lanes, tasklist::AddressShape& shape) {
  const std::uint64_t line =
      addresses[static_cast<std::uint32_t>(std::countr_zero(lanes))] & ~(line_bytes - 1);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    shape.offsets[i] = addresses[i] - line;
  if (lanes == all_lanes)
    return;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if (!has(lanes, i))
      shape.offsets[i] = 0;
}

} // namespace kerncast::warp
