#include "related_lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "warp/address_shapes.h"

namespace kerncast::slice {
namespace {

// No access of a warp reaches as far.
constexpr std::uint64_t group_distance = std::uint64_t{1} << 20;

std::uint64_t lowest_of(LaneMask lanes, const Lanes<std::uint64_t>& addresses) {
  std::uint64_t lowest = UINT64_MAX;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if (has(lanes, i))
      lowest = std::min(lowest, addresses[i]);
  return lowest;
}

// Sectors and lines that lanes touch.
struct Footprint {
  double sectors = 0, lines = 0;
};

Footprint footprint(LaneMask lanes, const Lanes<std::uint64_t>& addresses, std::uint64_t moved,
                    std::uint16_t bytes) {
  std::set<std::uint64_t> sectors, lines;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if (has(lanes, i))
      for (std::uint64_t at = (addresses[i] + moved) / sector_bytes;
           at <= (addresses[i] + moved + std::max<std::uint16_t>(bytes, 1) - 1) / sector_bytes; ++at) {
        sectors.insert(at);
        lines.insert(at / (line_bytes / sector_bytes));
      }
  return {static_cast<double>(sectors.size()), static_cast<double>(lines.size())};
}

// Of the places in a line from `first` on, the one whose footprint is nearest to the mean of all.
std::uint64_t usual_place(LaneMask lanes, const Lanes<std::uint64_t>& addresses, std::uint16_t bytes,
                          std::uint64_t first, std::uint64_t step) {
  std::vector<Footprint> at;
  Footprint mean;
  for (std::uint64_t place = first; place < line_bytes; place += step) {
    at.push_back(footprint(lanes, addresses, place, bytes));
    mean.sectors += at.back().sectors;
    mean.lines += at.back().lines;
  }
  mean.sectors /= static_cast<double>(at.size());
  mean.lines /= static_cast<double>(at.size());
  const auto nearest = std::ranges::min_element(at, {}, [&](const Footprint& f) {
    return std::abs(f.sectors - mean.sectors) + std::abs(f.lines - mean.lines);
  });
  return first + static_cast<std::uint64_t>(nearest - at.begin()) * step;
}

} // namespace

std::uint64_t distance_of_places(std::uint16_t bytes, Origin origin) {
  const std::uint64_t natural =
      bytes == 0 ? 1 : std::min<std::uint64_t>(line_bytes, std::uint64_t{1} << std::countr_zero(bytes));
  return std::max(natural, std::uint64_t{1} << scale_of(origin));
}

std::uint64_t RelatedLanes::period(std::uint16_t bytes) const {
  std::uint64_t longest = 1;
  for (const Group& group : groups())
    longest = std::max(longest, distance_of_places(bytes, group.origin));
  return std::min<std::uint64_t>(longest, line_bytes);
}

std::optional<RelatedLanes> RelatedLanes::find(LaneMask lanes, LaneMask known, const LaneOrigins& origins) {
  RelatedLanes related;
  if (known == 0 && origins.has_one()) { // as it mostly is
    if (origins.of_all() == Origins::none)
      return std::nullopt;
    related.groups_[related.count_++] = {origins.of_all(), lanes};
    return related;
  }
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    if (!has(lanes & ~known, i))
      continue;
    if (origins[i] == Origins::none)
      return std::nullopt;
    const auto end = related.groups_.begin() + static_cast<std::ptrdiff_t>(related.count_);
    const auto group =
        std::find_if(related.groups_.begin(), end, [&](const Group& g) { return g.origin == origins[i]; });
    if (group == end)
      ++related.count_;
    group->origin = origins[i];
    group->lanes |= LaneMask{1} << i;
  }
  const auto unknown = static_cast<std::size_t>(std::popcount(lanes & ~known));
  return related.count_ == unknown && std::popcount(lanes) > 1 ? std::nullopt : std::optional(related);
}

void RelatedLanes::spread(std::uint16_t bytes, Lanes<std::uint64_t>& addresses) const {
  for (std::size_t g = 0; g < count_; ++g) {
    const LaneMask lanes = groups_[g].lanes;
    const std::uint64_t lowest = lowest_of(lanes, addresses);
    Lanes<std::uint64_t> relative = addresses;
    for (std::uint64_t& address : relative)
      address -= lowest;
    const std::uint64_t step =
        std::min<std::uint64_t>(line_bytes, distance_of_places(bytes, groups_[g].origin));
    const std::uint64_t begin = lowest / line_bytes * line_bytes + g * group_distance +
                                usual_place(lanes, relative, bytes, lowest % step, step);
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      if (has(lanes, i))
        addresses[i] = begin + relative[i];
  }
}

} // namespace kerncast::slice
