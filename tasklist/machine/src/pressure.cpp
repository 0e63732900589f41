#include "pressure.h"

#include <algorithm>

namespace kerncast::machine {

PiecePressure::PiecePressure(const Draft& draft, const LiveRanges& ranges)
    : draft_(draft), ranges_(ranges), states_(draft.register_count()) {
  std::vector<std::int32_t> changes(2 * draft.ops.size() + 2, 0);
  for (VirtualRegister r = 0; r < draft.register_count(); ++r)
    for (const Segment& s : ranges.of(r)) {
      changes[s.begin] += draft.widths[r];
      changes[s.end] -= draft.widths[r];
    }
  at_start_.reserve(changes.size() / 2);
  std::int32_t in_use = 0;
  for (std::size_t position = 0; position < changes.size(); ++position) {
    in_use += changes[position];
    if (position % 2 == 0)
      at_start_.push_back(in_use);
  }
}

PiecePressure::State& PiecePressure::current(VirtualRegister r) {
  State& s = states_[r];
  if (s.piece != piece_)
    s = {piece_, 0, covers(ranges_.of(r), read_position(begin_)), covers(ranges_.of(r), read_position(end_))};
  return s;
}

void PiecePressure::start(std::uint32_t begin, std::uint32_t end) {
  ++piece_;
  begin_ = begin;
  end_ = end;
  in_use_ = at_start_[begin];
  most_taken_.clear();
  for (std::uint32_t i = begin; i < end; ++i) {
    for (const VirtualRegister r : draft_.reads(draft_.ops[i]))
      ++current(r).reads;
    std::int32_t most_taken = 0;
    for (const VirtualRegister r : draft_.writes(draft_.ops[i])) {
      current(r);
      most_taken += draft_.widths[r];
    }
    most_taken_.push_back(most_taken);
  }
}

std::int32_t PiecePressure::peak_of_text() const {
  return *std::max_element(at_start_.begin() + begin_, at_start_.begin() + end_ + 1);
}

std::int32_t PiecePressure::change(std::uint32_t op) const {
  const DraftOp& draft_op = draft_.ops[begin_ + op];
  std::int32_t change = 0;
  for (const VirtualRegister r : draft_.reads(draft_op))
    if (const State& s = states_[r]; s.holds_value && s.reads == 1 && !s.needed_after)
      change -= draft_.widths[r];
  for (const VirtualRegister r : draft_.writes(draft_op))
    if (const State& s = states_[r]; !s.holds_value && (s.reads > 0 || s.needed_after))
      change += draft_.widths[r];
  return change;
}

void PiecePressure::place(std::uint32_t op) {
  const DraftOp& draft_op = draft_.ops[begin_ + op];
  in_use_ += change(op);
  for (const VirtualRegister r : draft_.reads(draft_op)) {
    State& s = states_[r];
    s.holds_value = s.holds_value && (--s.reads > 0 || s.needed_after);
  }
  for (const VirtualRegister r : draft_.writes(draft_op))
    states_[r].holds_value = states_[r].reads > 0 || states_[r].needed_after;
}

} // namespace kerncast::machine
