// A visit of a block, with those joined to it, ends where the next access is of another block, or not of a
// later task. From one block to the next, a warp takes the shortest way.
#include "issued_warp.h"

#include <algorithm>
#include <utility>

#include "tasklist/operation.h"

namespace kerncast::hit_rates {

using tasklist::TracedAccess;

WarpIssue::WarpIssue(const tasklist::Tasklist& list, const machine::MachineProgram& program, bool in_turns,
                     SpillAccesses spills, std::uint32_t spill_patterns)
    : order_(list, program), in_turns_(in_turns), spills_(std::move(spills)), spill_patterns_(spill_patterns),
      has_rows_(list.tasks.size()) {
  for (std::size_t i = 0; i < list.tasks.size(); ++i)
    tasklist::for_each_part(list.operations[list.tasks[i].operation],
                            [&](std::string_view part) { has_rows_[i] = has_rows_[i] || part == "bulk"; });
}

void WarpIssue::add(std::span<const TracedAccess> accesses, std::vector<TracedAccess>& issued) {
  block_ = tasklist::no_id;
  loaded_.clear();
  waited_ = true;
  while (!accesses.empty()) {
    const CodePiece& piece = take_piece(accesses);
    for (const tasklist::BlockId between : order_.way(block_, piece.block))
      issue(order_.of(between), {}, issued);
    issue(piece, entries_, issued);
    block_ = piece.block;
  }
}

// What the warp does next, into entries_: a visit of a block, or of as many trips of a loop as go together.
const CodePiece& WarpIssue::take_piece(std::span<const TracedAccess>& left) {
  const tasklist::BlockId block = order_.block_of(left.front().task);
  const std::size_t first = visit_of(left);
  const CodePiece* const group = order_.group_of(block);
  std::size_t count = first;
  std::uint32_t trips = 1;
  for (; group != nullptr && trips < group->trips && count < left.size() &&
         order_.block_of(left[count].task) == block;
       ++trips)
    count += visit_of(left.subspan(count));
  const bool together = group != nullptr && trips == group->trips;
  const CodePiece& piece = together ? *group : order_.of(block);
  count = together ? count : first;
  note_entries(piece, left.first(count));
  left = left.subspan(count);
  return piece;
}

// Accesses of the visit that they begin with.
std::size_t WarpIssue::visit_of(std::span<const TracedAccess> accesses) const {
  std::size_t count = 1;
  while (count < accesses.size() && goes_on(accesses[count - 1], accesses[count]))
    ++count;
  return count;
}

// Within a visit.
bool WarpIssue::goes_on(const TracedAccess& last, const TracedAccess& next) const {
  return order_.block_of(next.task) == order_.block_of(last.task) &&
         (next.task > last.task || (next.task == last.task && has_rows_[next.task]));
}

// What no operation does comes with what it follows.
void WarpIssue::note_entries(const CodePiece& piece, std::span<const TracedAccess> accesses) {
  entries_.clear();
  std::uint32_t trip = 0;
  Position at = piece.begin;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    trip += i > 0 && !goes_on(accesses[i - 1], accesses[i]) ? 1 : 0;
    const Position own = piece.places[trip * piece.accesses + order_.access_of(accesses[i].task)];
    if (own != nowhere)
      at = own;
    entries_.push_back({at, accesses[i]});
    entries_.back().access.pattern += spill_patterns_;
  }
  if (!std::ranges::is_sorted(entries_, {}, &Entry::at))
    std::ranges::stable_sort(entries_, {}, &Entry::at);
}

// The operations of the piece, of whose accesses the warp does these and the spills.
void WarpIssue::issue(const CodePiece& piece, std::span<const Entry> entries,
                      std::vector<TracedAccess>& issued) {
  auto next = entries.begin();
  const auto issue_until = [&](Position end) {
    const auto first = next;
    for (; next != entries.end() && next->at < end; ++next)
      issue_access(next->access, issued);
    return next != first;
  };
  for (const CodeEvent& event : piece.events) {
    issue_until(event.at);
    await(event);
    if (event.is_spill)
      issue_access(spills_.at(event.at), issued);
    if (issue_until(event.at + 1) || event.is_spill || !event.is_access)
      note_loaded(event);
  }
  issue_until(nowhere);
}

void WarpIssue::note_loaded(const CodeEvent& event) {
  for (const std::uint16_t slot : order_.slots(event.loaded))
    if (std::ranges::find(loaded_, slot) == loaded_.end())
      loaded_.push_back(slot);
}

// Whoever waits for one load has waited for those beside it.
void WarpIssue::await(const CodeEvent& event) {
  const auto is_loaded = [this](std::uint16_t slot) {
    return std::ranges::find(loaded_, slot) != loaded_.end();
  };
  if (!event.waits_for_all &&
      (loaded_.empty() || std::ranges::none_of(order_.slots(event.needed), is_loaded)))
    return;
  loaded_.clear();
  waited_ = true;
}

void WarpIssue::issue_access(TracedAccess access, std::vector<TracedAccess>& issued) {
  access.follows = in_turns_ && !std::exchange(waited_, false);
  issued.push_back(access);
}

} // namespace kerncast::hit_rates
