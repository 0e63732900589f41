// Interning of shapes and visits, and paths written out from folded sequences.
#include "warp/behaviour_builder.h"

#include <algorithm>
#include <tuple>

#include "support/mix_bits.h"

namespace kerncast::warp {

using tasklist::AddressShape;
using tasklist::BlockVisit;
using tasklist::PathNode;

namespace {

// Several sums at a time, none of which waits for another.
template <class Numbers> std::uint64_t hash_of(const Numbers& numbers) {
  constexpr std::size_t at_once = 4;
  static_assert(std::tuple_size_v<Numbers> % at_once == 0);
  std::uint64_t sums[at_once] = {1, 2, 3, 4};
  for (std::size_t i = 0; i < numbers.size(); i += at_once)
    for (std::size_t k = 0; k < at_once; ++k)
      sums[k] = (sums[k] ^ numbers[i + k]) * 0x9e3779b97f4a7c15ULL + (sums[k] >> 29);
  return mix_bits(mix_bits(mix_bits(sums[0]) + sums[1]) + sums[2]) + sums[3];
}

} // namespace

std::uint32_t BehaviourBuilder::shape(const AddressShape& shape) {
  std::uint64_t hash =
      mix_bits((std::uint64_t{shape.mask} << 17 | shape.bytes) ^ (shape.known ? 1ULL << 60 : 0) ^
               (shape.place_known ? 1ULL << 61 : 0) ^ (shape.scattered ? 1ULL << 62 : 0));
  hash = mix_bits(hash + hash_of(shape.offsets));
  if (shape.bulk)
    hash = mix_bits(hash + shape.bulk->moved_bytes) ^ shape.bulk->signalled_bytes;
  auto& shapes = behaviour_.shapes;
  const auto fresh = static_cast<std::uint32_t>(shapes.size());
  const std::uint32_t id = shape_ids_.find_or_add(
      mix_bits(hash), fresh, [&](std::uint32_t other) { return shapes[other] == shape; });
  if (id == fresh)
    shapes.push_back(shape);
  return id;
}

std::uint32_t BehaviourBuilder::visit(tasklist::BlockId block, std::uint32_t active_mask,
                                      std::span<const std::uint32_t> shapes) {
  std::uint64_t hash = mix_bits(std::uint64_t{block} << 32 | active_mask);
  for (const std::uint32_t s : shapes)
    hash = mix_bits(hash + s);
  auto& visits = behaviour_.visits;
  auto& pool = behaviour_.access_pool;
  const auto fresh = static_cast<std::uint32_t>(visits.size());
  const std::uint32_t id = visit_ids_.find_or_add(hash, fresh, [&](std::uint32_t other) {
    const BlockVisit& v = visits[other];
    return v.block == block && v.active_mask == active_mask && v.accesses.count == shapes.size() &&
           std::equal(shapes.begin(), shapes.end(), pool.begin() + v.accesses.begin);
  });
  if (id == fresh) {
    const auto begin = static_cast<std::uint32_t>(pool.size());
    visits.push_back({block, active_mask, {begin, static_cast<std::uint32_t>(shapes.size())}});
    pool.insert(pool.end(), shapes.begin(), shapes.end());
  }
  return id;
}

std::uint32_t BehaviourBuilder::path(std::uint32_t sequence) {
  const auto fresh = static_cast<std::uint32_t>(path_sequences_.size());
  const std::uint32_t id = path_ids_.find_or_add(
      mix_bits(sequence), fresh, [&](std::uint32_t other) { return path_sequences_[other] == sequence; });
  if (id == fresh) {
    path_sequences_.push_back(sequence);
    tasklist::WarpPath path;
    expand(sequence, path.nodes);
    behaviour_.paths.push_back(std::move(path));
  }
  return id;
}

void BehaviourBuilder::expand(std::uint32_t sequence, std::vector<PathNode>& nodes) const {
  for (const std::uint32_t item : lists_[sequence]) {
    if ((item & loop_bit) != 0)
      expand_loop(item & ~loop_bit, nodes);
    else
      nodes.push_back({PathNode::Kind::visit, item, 0, 1});
  }
}

void BehaviourBuilder::expand_loop(std::uint32_t run, std::vector<PathNode>& nodes) const {
  const auto segments = lists_[run];
  for (std::size_t at = 0; at < segments.size();) {
    const std::uint32_t length = segments[at];
    const std::uint64_t count = segments[at + 1] | std::uint64_t{segments[at + 2]} << 32;
    const std::size_t repeat = nodes.size();
    if (count > 1)
      nodes.push_back({PathNode::Kind::repeat, 0, 0, count});
    for (std::uint32_t k = 0; k < length; ++k)
      expand(segments[at + 3 + k], nodes);
    if (count > 1)
      nodes[repeat].length = static_cast<std::uint32_t>(nodes.size() - repeat - 1);
    at += 3 + length;
  }
}

} // namespace kerncast::warp
