// Elements of 6 and 4 bits that are bytes elsewhere lie packed at the start of each 16 bytes, sixteen of
// them.
#include "shared_elements.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace kerncast::functional {

using warp::Element;

namespace {

// In shared memory.
std::uint32_t packed_bits(Element element) {
  switch (element) {
  case Element::e2m3:
  case Element::e3m2:
    return 6;
  case Element::e2m1_in_byte:
    return 4;
  default:
    return warp::element_bits(element);
  }
}

} // namespace

bool is_padded(Element element) { return packed_bits(element) != warp::element_bits(element); }

SharedElement place_of(const warp::SharedMatrix& matrix, Element element, bool k_major,
                       warp::MatrixPlace at) {
  constexpr std::uint32_t unit = 16; // elements, and bytes
  const std::uint32_t bits = packed_bits(element);
  if (!is_padded(element))
    return {matrix.address(at.row, at.column, bits, k_major), std::max(1U, bits / 8),
            bits < 8 ? at.column * bits % 8 : 0};
  const std::uint32_t in_unit = at.column % unit * bits;
  return {matrix.address(at.row, at.column / unit * unit, 8, true) + in_unit / 8, 2, in_unit % 8};
}

double element_at(const std::vector<std::uint8_t>& shared, const SharedElement& place, Element element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &shared[place.address], place.bytes);
  bits = bits >> place.shift & (~std::uint64_t{0} >> (64 - packed_bits(element)));
  return warp::decode_element(element == Element::e2m1_in_byte ? bits << 2 : bits, element);
}

std::string outside_message(const SharedElement& place, const std::vector<std::uint8_t>& shared) {
  return fmt::format("a matrix descriptor leads outside of shared memory, to {:#x} of {} bytes",
                     place.address, shared.size());
}

} // namespace kerncast::functional
