// Lanes of an access whose distances are known though nobody knows where they lie.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "origins.h"

namespace kerncast::slice {

class RelatedLanes {
public:
  struct Group {
    Origin origin = Origins::none;
    LaneMask lanes = 0;
  };

  // Of `lanes`, of which `known` have known addresses; empty if each unknown lane is alone, among several, or
  // has nothing in common with any other.
  static std::optional<RelatedLanes> find(LaneMask lanes, LaneMask known, const LaneOrigins& origins);

  // The unknown ones, by their first lane.
  std::span<const Group> groups() const { return std::span(groups_).first(count_); }

  // The same lanes belong together, of whatever origins.
  bool is_like(const RelatedLanes& other) const {
    return std::ranges::equal(groups(), other.groups(), {}, &Group::lanes, &Group::lanes);
  }

  // Moves the groups of an access of `bytes` per lane far from each other, each to where it touches about as
  // many sectors and lines as at an arbitrary place.
  void spread(std::uint16_t bytes, Lanes<std::uint64_t>& addresses) const;

private:
  std::array<Group, lanes_per_warp> groups_{};
  std::size_t count_ = 0;
};

// The largest power of two that divides an access's bytes: what its addresses are multiples of.
std::uint64_t natural_alignment(std::uint16_t bytes);

} // namespace kerncast::slice
