// Bits of an mbarrier object: 20 of arrivals expected, 20 of those pending, 21 of bytes, and the phase on
// top.
#include "warp/mbarrier_op.h"

namespace kerncast::warp {
namespace {

constexpr std::uint32_t bytes_at = 40, phase_at = 63;
constexpr std::uint64_t byte_mask = (std::uint64_t{1} << 21) - 1;

} // namespace

MbarrierState MbarrierState::of(std::uint64_t bits) {
  MbarrierState s;
  s.expected = static_cast<std::uint32_t>(bits) & most_arrivals;
  s.pending = static_cast<std::uint32_t>(bits >> pending_at) & most_arrivals;
  const auto bytes = static_cast<std::uint32_t>(bits >> bytes_at & byte_mask);
  s.bytes = static_cast<std::int32_t>(bytes << 11) >> 11;
  s.phase = (bits >> phase_at) != 0;
  return s;
}

std::uint64_t MbarrierState::bits() const {
  return expected | std::uint64_t{pending} << pending_at |
         (static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes)) & byte_mask) << bytes_at |
         std::uint64_t{phase ? 1U : 0U} << phase_at;
}

void MbarrierState::end_phase_if_complete() {
  if (pending != 0 || bytes != 0)
    return;
  phase = !phase;
  pending = expected;
}

} // namespace kerncast::warp
