// Copies, halves and forgotten values.
#include "lane_moves.h"

namespace kerncast::warp {
namespace {

void copy_predicate(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  file.predicate(destination) = file.predicate(op.sources[0].index);
  file.predicate_known(destination) = file.predicate_known(op.sources[0].index);
}
template <class Word> void copy_lanes(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  file.lanes<Word>(destination) = file.lanes<Word>(op.sources[0].index);
  file.lanes_known<Word>(destination) = file.lanes_known<Word>(op.sources[0].index);
}

void forget_predicate(LaneFile& file, const MicroOp&, std::uint32_t destination) {
  file.predicate_known(destination) = 0;
}
template <class Word> void forget_lanes(LaneFile& file, const MicroOp&, std::uint32_t destination) {
  file.lanes_known<Word>(destination) = 0;
}

template <class Whole> void pack(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const auto& low = file.lanes<std::uint32_t>(op.sources[0].index);
  const auto& high = file.lanes<std::uint32_t>(op.sources[1].index);
  constexpr Whole part_mask = (Whole{1} << (4 * sizeof(Whole))) - 1;
  auto& d = file.lanes<Whole>(destination);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = (low[i] & part_mask) | static_cast<Whole>(high[i]) << op.immediate;
  file.lanes_known<Whole>(destination) = file.lanes_known<std::uint32_t>(op.sources[0].index) &
                                         file.lanes_known<std::uint32_t>(op.sources[1].index);
}

template <class Whole> void unpack(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  constexpr Whole part_mask = (Whole{1} << (4 * sizeof(Whole))) - 1;
  const auto& a = file.lanes<Whole>(op.sources[0].index);
  auto& d = file.lanes<std::uint32_t>(destination);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = static_cast<std::uint32_t>(a[i] >> op.immediate & part_mask);
  file.lanes_known<std::uint32_t>(destination) = file.lanes_known<Whole>(op.sources[0].index);
}

} // namespace

LaneFunction copy_function(Pool pool) {
  if (pool == Pool::predicate)
    return copy_predicate;
  return pool == Pool::word ? copy_lanes<std::uint32_t> : copy_lanes<std::uint64_t>;
}

LaneFunction forget_function(Pool pool) {
  if (pool == Pool::predicate)
    return forget_predicate;
  return pool == Pool::word ? forget_lanes<std::uint32_t> : forget_lanes<std::uint64_t>;
}

LaneFunction pack_function(std::uint32_t bytes) {
  return bytes == 8 ? pack<std::uint64_t> : pack<std::uint32_t>;
}

LaneFunction unpack_function(std::uint32_t bytes) {
  return bytes == 8 ? unpack<std::uint64_t> : unpack<std::uint32_t>;
}

} // namespace kerncast::warp
