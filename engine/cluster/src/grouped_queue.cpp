#include "cluster/grouped_queue.h"

#include <algorithm>
#include <cassert>

namespace kerncast::cluster {

GroupedQueue::GroupedQueue(const std::vector<Unit>& units) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    groups_.resize(std::max<std::size_t>(groups_.size(), units[i].group + 1U));
    Group& group = groups_[units[i].group];
    group.units.push_back(i);
    group.left += units[i].cost;
    cost_.push_back(units[i].cost);
  }
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    if (groups_[group].units.size() == 1)
      groups_[group].shared = Shared::found; // nobody else needs it
    add(group);
  }
}

GroupedQueue::Task GroupedQueue::next(std::optional<std::uint32_t> before) {
  if (before && !groups_[*before].is_done())
    return take(*before);
  if (before)
    --groups_[*before].workers; // it is done: no longer among the open ones
  if (open_.empty())
    return {awaited_ > 0 ? Task::Kind::later : Task::Kind::nothing};
  const std::uint32_t number = std::get<std::uint32_t>(*open_.begin());
  remove(number);
  Group& group = groups_[number];
  ++group.workers;
  if (group.shared == Shared::missing) {
    group.shared = Shared::awaited;
    ++awaited_;
    return {Task::Kind::find, group.units.front()};
  }
  add(number);
  return take(number);
}

void GroupedQueue::found(std::uint32_t number) {
  assert(is_awaited(number) && "what a group shares is found once");
  groups_[number].shared = Shared::found;
  --awaited_;
  add(number);
}

GroupedQueue::Task GroupedQueue::take(std::uint32_t number) {
  assert(!is_awaited(number) && "who works on a group has found what it shares, or came later");
  Group& group = groups_[number];
  remove(number);
  const std::size_t unit = group.units[group.given++];
  group.left -= cost_[unit];
  add(number);
  return {Task::Kind::unit, unit};
}

} // namespace kerncast::cluster
