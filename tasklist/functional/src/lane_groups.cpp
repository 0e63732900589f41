#include "lane_groups.h"

#include <algorithm>
#include <utility>

namespace kerncast::functional {

using tasklist::no_id;
using warp::LaneMask;

namespace {

bool has_arrived(const LaneGroup& group) {
  return group.mask == 0 || group.block == group.reconvergence || group.block == no_id;
}

} // namespace

void LaneGroups::start(LaneMask lanes) {
  groups_.assign(1, {{0, no_id, lanes}, std::nullopt});
  alive_ = lanes;
  current_ = 0;
}

bool LaneGroups::select() {
  sides_ = 0;
  while (!groups_.empty() && has_arrived(groups_.back().group))
    groups_.pop_back();
  if (groups_.empty())
    return false;
  const Entry& top = groups_.back();
  current_ = groups_.size() - 1;
  return !top.stop || !top.stop->waits || select_below_top();
}

// From the top down: a group can execute that no group above it shall join.
bool LaneGroups::select_below_top() {
  LaneMask above = 0;
  for (std::size_t i = groups_.size(); i-- > 0;) {
    const Entry& entry = groups_[i];
    if (has_arrived(entry.group) && (entry.group.mask & above) == 0) {
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    if ((entry.group.mask & above) == 0 && (!entry.stop || !entry.stop->waits)) {
      current_ = i;
      return true;
    }
    above |= entry.group.mask;
  }
  return false;
}

void LaneGroups::exit(LaneMask lanes) {
  alive_ &= ~lanes;
  for (Entry& entry : groups_)
    entry.group.mask &= ~lanes;
}

void LaneGroups::add_side(const LaneGroup& side) {
  const std::size_t place = current_ + 1 + sides_++;
  groups_.insert(groups_.begin() + static_cast<std::ptrdiff_t>(place), {side, std::nullopt});
}

void LaneGroups::stop(Stop stop) { groups_[current_].stop = std::move(stop); }

void LaneGroups::stop_apart(LaneMask lanes, Stop stop) {
  LaneGroup group = groups_[current_].group;
  groups_[current_].group.mask &= ~lanes;
  group.mask = lanes;
  groups_.insert(groups_.begin() + static_cast<std::ptrdiff_t>(current_) + 1, {group, std::move(stop)});
}

void LaneGroups::release(const std::vector<Stop*>& met) {
  for (Stop* stop : met)
    stop->waits = false;
  const auto has_met = [&](Entry& entry) {
    return entry.stop && std::ranges::find(met, &*entry.stop) != met.end();
  };
  // Into the one that lies highest: what any of them shall join lies below it.
  for (std::size_t i = groups_.size(); i-- > 0;) {
    Entry& into = groups_[i];
    for (std::size_t j = 0; j < i && has_met(into); ++j) {
      Entry& from = groups_[j];
      if (!has_met(from) || from.stop->step != into.stop->step ||
          from.group.reconvergence != into.group.reconvergence)
        continue;
      into.group.mask |= std::exchange(from.group.mask, 0);
      into.stop->entered |= from.stop->entered;
      into.stop->active |= from.stop->active;
      into.stop->arrived |= from.stop->arrived;
    }
  }
  std::erase_if(groups_, [](const Entry& entry) { return entry.stop && entry.group.mask == 0; });
}

std::optional<Stop> LaneGroups::take_stop() { return std::exchange(groups_[current_].stop, std::nullopt); }

std::vector<Stop*> LaneGroups::waiting() {
  std::vector<Stop*> all;
  for (Entry& entry : groups_)
    if (entry.stop && entry.stop->waits)
      all.push_back(&*entry.stop);
  return all;
}

bool LaneGroups::split() {
  LaneMask above = 0;
  for (std::size_t i = groups_.size(); i-- > 0;) {
    LaneGroup& group = groups_[i].group;
    const LaneMask own = group.mask & ~above;
    if (own != 0 && own != group.mask && !groups_[i].stop) {
      group.mask &= ~own;
      const LaneGroup alone{group.block, group.reconvergence, own};
      if (!has_arrived(alone)) // else they are in the group below now, and wait there
        groups_.push_back({alone, std::nullopt});
      return true;
    }
    above |= group.mask;
  }
  return false;
}

} // namespace kerncast::functional
