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
  if (s.piece != piece_) {
    const auto range = ranges_.of(r);
    const std::uint32_t reads_behind = covers(range, read_position(end_)) ? 1 : 0;
    s = {piece_, reads_behind, covers(range, read_position(begin_)), draft_.widths[r]};
  }
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
    for (const VirtualRegister r : draft_.writes(draft_.ops[i]))
      most_taken += current(r).width;
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
    if (const State& s = states_[r]; s.holds_value && s.reads == 1)
      change -= s.width;
  for (const VirtualRegister r : draft_.writes(draft_op))
    if (const State& s = states_[r]; !s.holds_value && s.reads > 0)
      change += s.width;
  return change;
}

void PiecePressure::place(std::uint32_t op) {
  const DraftOp& draft_op = draft_.ops[begin_ + op];
  in_use_ += change(op);
  for (const VirtualRegister r : draft_.reads(draft_op)) {
    State& s = states_[r];
    s.holds_value = s.holds_value && --s.reads > 0;
  }
  for (const VirtualRegister r : draft_.writes(draft_op))
    states_[r].holds_value = states_[r].reads > 0;
}

} // namespace kerncast::machine
