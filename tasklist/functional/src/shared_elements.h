// Elements of matrices that descriptors place in shared memory, for wgmma and tcgen05.
#pragma once

#include <string>
#include <vector>

#include "warp/wgmma_op.h"

namespace kerncast::functional {

// Where the bits of an element lie.
struct SharedElement {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0; // that hold them
  std::uint32_t shift = 0; // of them in these bytes
};

// Whether an element has less bits in shared memory than elsewhere.
bool is_padded(warp::Element element);

SharedElement place_of(const warp::SharedMatrix& matrix, warp::Element element, bool k_major,
                       warp::MatrixPlace at);
inline bool is_inside(const SharedElement& place, const std::vector<std::uint8_t>& shared) {
  return place.address + place.bytes <= shared.size();
}
// Of a place that is inside.
double element_at(const std::vector<std::uint8_t>& shared, const SharedElement& place, warp::Element element);

std::string outside_message(const SharedElement& place, const std::vector<std::uint8_t>& shared);
inline constexpr const char* descriptor_advice =
    "check the descriptor's start and offsets, which count 16 bytes";

} // namespace kerncast::functional
