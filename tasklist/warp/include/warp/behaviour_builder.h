// Collects what warps do into a LaunchBehaviour, everything equal stored once.
#pragma once

#include <span>
#include <vector>

#include "tasklist/behaviour.h"
#include "warp/intern.h"

namespace kerncast::warp {

class BehaviourBuilder {
public:
  std::uint32_t shape(const tasklist::AddressShape& shape);
  std::uint32_t visit(tasklist::BlockId block, std::uint32_t active_mask,
                      std::span<const std::uint32_t> shapes);

  // A sequence is a list of items: visits, and runs through loops marked by loop_bit.
  static constexpr std::uint32_t loop_bit = 1U << 31;
  std::uint32_t sequence(std::span<const std::uint32_t> items) { return lists_.intern(items); }
  // The number of the warp path with this sequence of items.
  std::uint32_t path(std::uint32_t sequence);

  const tasklist::LaunchBehaviour& behaviour() const { return behaviour_; }
  tasklist::LaunchBehaviour take() { return std::move(behaviour_); }

private:
  void expand(std::uint32_t sequence, std::vector<tasklist::PathNode>& nodes) const;
  void expand_loop(std::uint32_t run, std::vector<tasklist::PathNode>& nodes) const;

  tasklist::LaunchBehaviour behaviour_;
  IdTable shape_ids_;
  IdTable visit_ids_;
  ListTable lists_;
  std::vector<std::uint32_t> path_sequences_; // by path
  IdTable path_ids_;
};

} // namespace kerncast::warp
