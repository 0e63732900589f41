#include "stated_places.h"

#include <algorithm>

#include "support/mix_bits.h"
#include "warp/intern.h"

namespace kerncast::slice {

using Spread = tasklist::AddressFact::Spread;

std::int64_t stride_of(const tasklist::AddressFact& fact, std::uint16_t bytes) {
  return fact.spread == Spread::coalesced ? bytes : fact.spread == Spread::broadcast ? 0 : fact.stride;
}

void StatedPlaces::start_warp(std::uint64_t number) {
  warp_ = number;
  std::ranges::fill(visits_, 0);
}

void StatedPlaces::place(std::uint32_t access, std::uint16_t bytes, const tasklist::AddressFact& fact,
                         BufferRange buffer, Lanes<std::uint64_t>& addresses) {
  const std::uint64_t element = std::max<std::uint64_t>(bytes, 1);
  const std::uint64_t elements = std::max<std::uint64_t>(buffer.bytes / element, 1);
  const std::uint64_t visit = visits_[access]++;
  const std::uint64_t drawn = mix_bits(mix_bits(warp_ ^ std::uint64_t{access} << 48) + visit) % elements;
  const std::uint64_t begin =
      fact.spread == Spread::coalesced ? (visit * warps_ + warp_) * lanes_per_warp : drawn;
  const auto size = static_cast<std::int64_t>(elements * element);
  const auto stride = static_cast<std::uint64_t>((stride_of(fact, bytes) % size + size) % size);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    addresses[i] = buffer.base + (begin % elements * element + i * stride) % (elements * element);
}

} // namespace kerncast::slice
