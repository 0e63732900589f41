// Copies, parts and forgotten values.
#include "lane_moves.h"

#include "warp/cluster.h"

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
  const Whole part_mask = (Whole{1} << op.immediate) - 1;
  Lanes<Whole> d{};
  LaneMask known = all_lanes;
  for (std::uint32_t s = 0; s < op.source_count; ++s) {
    const auto& part = file.lanes<std::uint32_t>(op.sources[s].index);
    const std::uint32_t by = s * op.immediate;
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      d[i] |= (part[i] & part_mask) << by;
    known &= file.lanes_known<std::uint32_t>(op.sources[s].index);
  }
  file.lanes<Whole>(destination) = d;
  file.lanes_known<Whole>(destination) = known;
}

template <class Whole> void unpack(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const std::uint32_t by = op.immediate & 255;
  const Whole part_mask = (Whole{1} << (op.immediate >> 8)) - 1;
  const auto& a = file.lanes<Whole>(op.sources[0].index);
  auto& d = file.lanes<std::uint32_t>(destination);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = static_cast<std::uint32_t>(a[i] >> by & part_mask);
  file.lanes_known<std::uint32_t>(destination) = file.lanes_known<Whole>(op.sources[0].index);
}

template <class Word, std::uint32_t by>
void read_clock(LaneFile& file, const MicroOp&, std::uint32_t destination) {
  file.lanes<Word>(destination).fill(static_cast<Word>(file.read_clock() >> by));
  file.lanes_known<Word>(destination) = all_lanes;
}

template <class Word> void read_rank(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const auto& address = file.lanes<Word>(op.sources[0].index);
  const auto& own = file.lanes<std::uint32_t>(op.sources[1].index);
  auto& d = file.lanes<std::uint32_t>(destination);
  const LaneMask known = file.lanes_known<Word>(op.sources[0].index);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = is_cluster_address(address[i]) ? cluster_rank(address[i]) : own[i];
  file.lanes_known<std::uint32_t>(destination) = known;
}

template <class Word> void is_in_range(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const auto& address = file.lanes<Word>(op.sources[0].index);
  const auto& first = file.lanes<Word>(op.sources[1].index);
  const auto& count = file.lanes<Word>(op.sources[2].index);
  LaneMask inside = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    inside |= address[i] - first[i] < count[i] ? LaneMask{1} << i : 0;
  file.predicate(destination) = inside;
  file.predicate_known(destination) = file.lanes_known<Word>(op.sources[0].index);
}

} // namespace

LaneFunction range_function(Pool pool) {
  return pool == Pool::longword ? is_in_range<std::uint64_t> : is_in_range<std::uint32_t>;
}

LaneFunction rank_function(Pool pool) {
  return pool == Pool::longword ? read_rank<std::uint64_t> : read_rank<std::uint32_t>;
}

LaneFunction clock_function(Pool pool, bool upper) {
  if (pool == Pool::longword)
    return read_clock<std::uint64_t, 0>;
  return upper ? read_clock<std::uint32_t, 32> : read_clock<std::uint32_t, 0>;
}

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
