#include "coordinator.h"

#include <algorithm>

namespace kerncast::ranks {

void Coordinator::handle(const RankEvent& event, RankOutbox& out) {
  const RankMessage& joined = event.payload;
  const auto [found, is_new] = meetings_.try_emplace(joined.number);
  Meeting& meeting = found->second;
  if (is_new) {
    meeting.first = meeting.last = joined;
    meeting.slots.resize(topology_.ranks());
    meeting.is_here.resize(topology_.ranks());
  }
  compare(meeting, joined);
  meeting.slots[joined.from] = joined.slot;
  meeting.is_here[joined.from] = true;
  if (joined.begin > meeting.last.begin)
    meeting.last = joined;
  if (++meeting.here < topology_.ranks())
    return;
  end(meeting, out);
  meetings_.erase(found);
}

void Coordinator::compare(const Meeting& meeting, const RankMessage& joined) {
  const RankMessage& first = meeting.first;
  if (joined.op == first.op && joined.bytes == first.bytes && joined.to == first.to &&
      joined.algorithm == first.algorithm)
    return;
  problems_.push_back({Problem::Kind::other_op, joined.op, joined.from, joined.position, first.from,
                       first.position, joined.bytes, first.bytes});
}

void Coordinator::end(const Meeting& meeting, RankOutbox& out) {
  const RankMessage& what = meeting.first;
  const CollectiveCost cost = costs_.cost(what.op, what.algorithm, what.bytes, what.to);
  const bool chosen = what.algorithm == Algorithm::cheapest;
  ChosenCollective& known = ended_[{what.op, what.bytes, cost.algorithm, chosen}];
  known = {what.op, cost.algorithm, chosen, what.bytes, known.count + 1, cost.time};
  for (std::uint32_t rank = 0; rank < topology_.ranks(); ++rank)
    out.send(rank, meeting.last.begin + cost.time,
             {.kind = RankMessage::Kind::done,
              .to = meeting.last.from,
              .slot = meeting.slots[rank],
              .begin = meeting.last.begin});
}

void Coordinator::add_problems(std::vector<Problem>& problems) const {
  problems.insert(problems.end(), problems_.begin(), problems_.end());
  for (const auto& [number, meeting] : meetings_) {
    const auto missing = std::find(meeting.is_here.begin(), meeting.is_here.end(), false);
    problems.push_back({Problem::Kind::absent, meeting.first.op,
                        static_cast<std::uint32_t>(missing - meeting.is_here.begin()), 0, meeting.first.from,
                        meeting.first.position, topology_.ranks() - meeting.here, meeting.first.bytes});
  }
}

std::vector<ChosenCollective> Coordinator::collectives() const {
  std::vector<ChosenCollective> all;
  for (const auto& [kind, collective] : ended_)
    all.push_back(collective);
  return all;
}

} // namespace kerncast::ranks
