#include "cluster/grouped_queue.h"

#include <algorithm>

namespace kerncast::cluster {

GroupedQueue::GroupedQueue(const std::vector<Unit>& units) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    groups_.resize(std::max<std::size_t>(groups_.size(), units[i].group + 1U));
    Group& group = groups_[units[i].group];
    group.units.push_back(i);
    group.left += units[i].cost;
    cost_.push_back(units[i].cost);
  }
  for (std::uint32_t group = 0; group < groups_.size(); ++group)
    add(group);
}

std::optional<std::size_t> GroupedQueue::next(std::optional<std::uint32_t> before) {
  if (before && !groups_[*before].is_done())
    return take(*before);
  if (before)
    --groups_[*before].workers; // it is done: no longer among the open ones
  if (open_.empty())
    return std::nullopt;
  const std::uint32_t group = open_.begin()->second;
  remove(group);
  ++groups_[group].workers;
  add(group);
  return take(group);
}

std::size_t GroupedQueue::take(std::uint32_t number) {
  Group& group = groups_[number];
  remove(number);
  const std::size_t unit = group.units[group.given++];
  group.left -= cost_[unit];
  add(number);
  return unit;
}

} // namespace kerncast::cluster
