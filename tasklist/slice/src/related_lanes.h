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

  // The same lanes belong together, of whatever origins of the same scale.
  bool is_like(const RelatedLanes& other) const {
    return std::ranges::equal(groups(), other.groups(), [](const Group& a, const Group& b) {
      return a.lanes == b.lanes && scale_of(a.origin) == scale_of(b.origin);
    });
  }

  // Within a line: moved by multiples of this, the access touches as many sectors and lines of one.
  std::uint64_t period(std::uint16_t bytes) const;

  // Moves the groups of an access of `bytes` per lane far from each other, each to where it touches about as
  // many sectors and lines as at an arbitrary one of the places where it can lie.
  void spread(std::uint16_t bytes, Lanes<std::uint64_t>& addresses) const;

private:
  std::array<Group, lanes_per_warp> groups_{};
  std::size_t count_ = 0;
};

// By multiples of this an access of `bytes` of a lane may be moved: the largest power of two that divides its
// bytes, or the unknown part of its address.
std::uint64_t distance_of_places(std::uint16_t bytes, Origin origin);

} // namespace kerncast::slice
