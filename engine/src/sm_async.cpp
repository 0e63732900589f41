// What an operation waits for beside the scoreboard: groups of asynchronous operations, a free place among
// the warp's loads, its instruction; and scoreboards whose times depend on who reads them.
#include <algorithm>

#include "sm_issue.h"

namespace kerncast::engine {

// When everything else is there that `op`, the warp's next operation, waits for.
Time Sm::late_operands(Warp& warp, const HotOp& op) {
  Time operands = 0;
  for (std::uint32_t i = 0; i < op.more_sources; ++i)
    operands = std::max(operands, warp.ready_at[program_.slots[op.more + i]]);
  if (!cross_times_.empty())
    operands = std::max(operands, cross_operands(warp, cold(op), op.unit));
  if (op.kind == SmOpKind::fence) {
    const Time completed = warp.awaited == warp.awaited_copies ? warp.memory_completed : first_unknown_time;
    operands = std::max(operands, because(completed, WarpState::membar));
  }
  if (op.kind == SmOpKind::wait_group) {
    const bool memory = cold(op).async != AsyncKind::matrices;
    operands = std::max(operands, because(end_of_groups(warp, cold(op).async, cold(op).keep),
                                          memory ? WarpState::long_scoreboard : WarpState::wait));
  }
  if (config_.loads_per_warp != 0 && op.kind == SmOpKind::memory && op.returns_data) {
    const std::size_t place = place_of(warp);
    const std::size_t oldest = loads_issued_[place] % config_.loads_per_warp;
    operands =
        std::max(operands, because(loads_[place * config_.loads_per_warp + oldest], WarpState::lg_throttle));
  }
  if (instructions_.enabled())
    operands = std::max(operands, because(fetch(warp, op), WarpState::no_instruction));
  return operands;
}

Time Sm::cross_operands(const Warp& warp, const SmOp& op, std::uint16_t unit) const {
  const CrossTimes* const times = cross_times_.data() + (warp.ready_at - ready_at_.data());
  Time operands = 0;
  for (std::uint32_t i = 0; i < op.source_count; ++i) {
    const CrossTimes& source = times[program_.slots[op.slots + i]];
    operands = std::max(operands, source.unit == unit ? source.same : source.other);
  }
  return operands;
}

// When the warp's next instruction is there, of which it learns when it may issue at the earliest.
Time Sm::fetch(Warp& warp, const HotOp& op) {
  const std::uint32_t line = instructions_.line_of(static_cast<std::size_t>(&op - ops_.data()));
  const std::size_t place = place_of(warp);
  if (line != fetched_line_[place]) {
    fetched_line_[place] = line;
    fetched_at_[place] = instructions_.fetch(line, warp.earliest, memory_);
  }
  return fetched_at_[place];
}

// Per kind of group: the end of the open group so far; then, for k from 0, when all closed groups but the
// newest k have ended.
static std::size_t first_group(std::size_t place, AsyncKind kind, std::uint32_t kept) {
  return (place * async_groups + static_cast<std::size_t>(kind) - 1) * (kept + 1);
}

Time* Sm::groups_of(const Warp& warp, AsyncKind kind) {
  return groups_.data() + first_group(place_of(warp), kind, groups_kept_);
}

void Sm::join_group(Warp& warp, AsyncKind kind, Time done) {
  if (groups_kept_ == 0)
    return;
  Time& open = *groups_of(warp, kind);
  open = std::max(open, done);
}

void Sm::commit_group(Warp& warp, AsyncKind kind) {
  if (groups_kept_ == 0)
    return;
  ++committed_[place_of(warp) * async_groups + static_cast<std::size_t>(kind) - 1];
  Time* const open = groups_of(warp, kind);
  const Time all = std::max(*open, open[1]);
  std::copy_backward(open + 1, open + groups_kept_, open + groups_kept_ + 1);
  open[1] = all;
  *open = 0;
}

Time Sm::end_of_groups(const Warp& warp, AsyncKind kind, std::uint16_t keep) const {
  if (groups_kept_ == 0)
    return 0;
  if (awaits_copies(warp, kind, keep))
    return first_unknown_time;
  const Time* const open = groups_.data() + first_group(place_of(warp), kind, groups_kept_);
  return keep == all_groups ? std::max(*open, open[1]) : open[1 + keep];
}

// Another warp begins in its place.
void Sm::forget_warp(Warp& warp) {
  const auto clear = [place = place_of(warp)](auto& values, std::size_t of_warp, auto value) {
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(place * of_warp), of_warp, value);
  };
  warp.announced_at = no_barrier;
  if (ends_at_last_issue())
    std::fill_n(warp.ready_at, program_.slot_count + 2, Time{0});
  clear(waits_done_, barriers_per_cta_, 0U);
  clear(groups_, async_groups * (groups_kept_ == 0 ? 0 : groups_kept_ + 1), Time{0});
  clear(committed_, async_groups, 0U);
  clear(loads_, config_.loads_per_warp, Time{0});
  if (instructions_.enabled())
    fetched_line_[place_of(warp)] = UINT32_MAX;
  if (!cross_times_.empty())
    std::fill_n(cross_times_.begin() + (warp.ready_at - ready_at_.data()), program_.slot_count + 2,
                CrossTimes{});
}

} // namespace kerncast::engine
