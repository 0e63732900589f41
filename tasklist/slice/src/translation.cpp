// Signatures are lists of numbers, interned.
#include "translation.h"

#include <bit>

#include "warp/address_shapes.h"
#include "warp/lane_file.h"
#include "warp_names.h"

namespace kerncast::slice {
namespace {

void append64(std::uint64_t x, std::vector<std::uint32_t>& list) {
  list.push_back(static_cast<std::uint32_t>(x));
  list.push_back(static_cast<std::uint32_t>(x >> 32));
}

} // namespace

Translation::MovableShape Translation::movable(const tasklist::AddressShape& shape) {
  MovableShape movable;
  movable.has_phase = shape.known && shape.mask != 0;
  const std::uint64_t phase =
      movable.has_phase ? shape.offsets[static_cast<std::uint32_t>(std::countr_zero(shape.mask))] : 0;
  movable.phase = static_cast<std::uint8_t>(phase % line_bytes);
  std::vector<std::uint32_t> list{(shape.known ? 1U : 0U) | (shape.bulk ? 2U : 0U), shape.mask, shape.bytes};
  if (shape.bulk) {
    append64(shape.bulk->moved_bytes, list);
    append64(shape.bulk->signalled_bytes, list);
  }
  for (std::uint32_t i = 0; movable.has_phase && i < tasklist::lanes_per_warp; ++i)
    if (has(shape.mask, i))
      append64(shape.offsets[i] - phase, list);
  movable.id = lists_.intern(list);
  return movable;
}

const Translation::MovableShape& Translation::shape(std::uint32_t shape) {
  while (shapes_.size() <= shape)
    shapes_.push_back(movable(behaviour_.shapes[shapes_.size()]));
  return shapes_[shape];
}

void Translation::append_visit(const tasklist::BlockVisit& visit, FirstPhases& first, MovablePath& path,
                               std::vector<std::uint32_t>& signature) {
  signature.push_back(visit.block);
  signature.push_back(visit.active_mask);
  for (std::uint32_t a = 0; a < visit.accesses.count; ++a) {
    const MovableShape& s = shape(behaviour_.access_pool[visit.accesses.begin + a]);
    signature.push_back(s.id);
    if (!s.has_phase)
      continue;
    const auto [entry, added] = first.try_emplace({visit.block, a}, s.phase);
    if (added)
      path.phases.push_back(s.phase);
    signature.push_back((s.phase - entry->second) & (line_bytes - 1));
  }
}

const MovablePath& Translation::path(std::uint32_t path) {
  while (paths_.size() <= path) {
    MovablePath movable;
    FirstPhases first;
    std::vector<std::uint32_t> signature;
    for (const tasklist::PathNode& node : behaviour_.paths[paths_.size()].nodes) {
      if (node.kind == tasklist::PathNode::Kind::visit) {
        append_visit(behaviour_.visits[node.visit], first, movable, signature);
        continue;
      }
      signature.push_back(UINT32_MAX); // no block has this number
      signature.push_back(node.length);
      append64(node.count, signature);
    }
    movable.signature = lists_.intern(signature);
    paths_.push_back(std::move(movable));
  }
  return paths_[path];
}

} // namespace kerncast::slice
