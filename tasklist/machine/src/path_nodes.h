// Paths of a behaviour, written anew as a machine program executes them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tasklist/behaviour.h"

namespace kerncast::machine {

using Nodes = std::span<const tasklist::PathNode>;

// `rewrite` appends to its second argument what takes the place of the nodes in its first; it may add visits.
template <class Rewrite> void rewrite_paths(tasklist::LaunchBehaviour& behaviour, const Rewrite& rewrite) {
  for (tasklist::WarpPath& path : behaviour.paths) {
    std::vector<tasklist::PathNode> nodes;
    rewrite(Nodes(path.nodes), nodes);
    path.nodes = std::move(nodes);
  }
}

// Appends the accesses of a visit to the pool.
inline void repeat_accesses(tasklist::LaunchBehaviour& behaviour, std::uint32_t visit) {
  const tasklist::Range accesses = behaviour.visits[visit].accesses;
  for (std::uint32_t i = 0; i < accesses.count; ++i)
    behaviour.access_pool.push_back(behaviour.access_pool[accesses.begin + i]);
}

// A visit with the accesses of the pool from `begin` on. Returns its number.
inline std::uint32_t add_visit(tasklist::LaunchBehaviour& behaviour, tasklist::BlockId block,
                               std::uint32_t active_mask, std::uint32_t begin) {
  const auto end = static_cast<std::uint32_t>(behaviour.access_pool.size());
  behaviour.visits.push_back({block, active_mask, {begin, end - begin}});
  return static_cast<std::uint32_t>(behaviour.visits.size()) - 1;
}

} // namespace kerncast::machine
