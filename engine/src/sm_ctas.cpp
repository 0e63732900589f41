// CTAs of one SM: placement and replacement, and their warps' beginning and end.
#include <algorithm>

#include "sm_issue.h"

namespace kerncast::engine {
namespace {

constexpr auto ends_later = [](const auto& a, const auto& b) {
  return a.end != b.end ? a.end > b.end : a.slot > b.slot;
};

} // namespace

void Sm::begin() {
  next_launch_ = to_time(config_.first_cta_launch);
  for (std::uint32_t slot = 0; slot < ctas_.size(); ++slot)
    place_cta(slot, 0, 0);
}

bool Sm::next_kind(std::uint32_t& kind) {
  while (run_ < sequence_->size() && run_done_ == (*sequence_)[run_].count) {
    ++run_;
    run_done_ = 0;
  }
  if (run_ == sequence_->size())
    return false;
  ++placed_;
  ++run_done_;
  kind = (*sequence_)[run_].kind;
  return true;
}

void Sm::go_on_with(const std::vector<CtaRun>& ctas) {
  sequence_ = &ctas;
  run_ = 0;
  run_done_ = placed_;
  while (run_ < ctas.size() && run_done_ >= ctas[run_].count)
    run_done_ -= ctas[run_++].count;
}

void Sm::place_cta(std::uint32_t slot, Time at, std::int64_t now) {
  std::uint32_t kind = 0;
  if (!next_kind(kind))
    return;
  const Time launch = std::max(at, next_launch_);
  next_launch_ = launch + to_time(config_.cta_launch_interval);
  begin_cta(slot, kind, launch + to_time(config_.cta_launch_latency), now);
}

void Sm::begin_cta(std::uint32_t slot, std::uint32_t kind, Time begin, std::int64_t now) {
  const std::vector<std::uint32_t>& paths = workload_.kinds[kind].warp_paths;
  const auto warps = static_cast<std::uint32_t>(paths.size());
  ctas_[slot] = {.warps = warps,
                 .live_warps = warps,
                 .is_of_first_wave = dependents_.begin_cta(ctas_.size()),
                 .end = begin};
  std::fill_n(barriers_.begin() + static_cast<std::ptrdiff_t>(slot) * barriers_per_cta_, barriers_per_cta_,
              Barrier{});
  for (std::uint32_t i = 0; i < warps; ++i)
    start_warp(slot * warps_per_slot_ + i, slot, paths[i], begin, now);
}

void Sm::start_warp(std::uint32_t index, std::uint32_t cta, std::uint32_t path, Time begin,
                    std::int64_t now) {
  // The scoreboard keeps the times of the warp before, which all lie before `begin` if it ended with its last
  // completion.
  Warp& warp = warp_of(index);
  warp.cta = cta;
  forget_warp(warp);
  warp.waited_for_primary = false;
  warp.draw = ++begun_ * draw_of_warp;
  warp.earliest = warp.charged_to = warp.completed = warp.memory_completed = warp.began = begin;
  enter_step(warp, program_.path_start[path]);
  if (warp.op == nullptr) { // every operation of its path is free on this GPU
    finish_warp(warp, nullptr);
    return;
  }
  find_operands(warp);
  SubCore& core = cores_[index % sub_cores_];
  if (ranks_by_age())
    warp.rank = core.make_youngest(warp.rank);
  core.want(warp.rank, *warp.op);
  wake_later(warp, std::max(begin, warp.operands), now);
}

std::uint32_t SubCore::make_youngest(std::uint32_t rank) {
  Warp* const youngest = warps[rank];
  const auto follow = [=, last = slots - 1](std::uint32_t other) {
    return other == rank ? last : other > rank && other <= last ? other - 1 : other;
  };
  state.last_issued = follow(state.last_issued);
  chosen = follow(chosen);
  for (std::uint32_t next = rank + 1; next < slots; ++next) {
    warps[next - 1] = warps[next];
    unit_free_at[next - 1] = unit_free_at[next];
    is_local[next - 1] = is_local[next];
    --warps[next]->rank;
  }
  warps[slots - 1] = youngest;
  const auto close = [rank](std::uint64_t& ranks) { ranks = without_rank(ranks, rank); };
  close(state.awake);
  std::for_each_n(units.next_here.begin(), units.count, close);
  wheel.close(state.front, rank, slots);
  return slots - 1;
}

// Puts a warp to sleep until the cycle of `at`, which is not before `now`; its scheduler may have acted in
// later cycles already, with a warp that it would have preferred to this one.
void Sm::wake_later(const Warp& warp, Time at, std::int64_t now) {
  const std::uint32_t sub_core = sub_core_of(warp);
  SubCore& core = cores_[sub_core];
  const std::int64_t cycle = std::max(cycle_of(at), core.state.acted + 1);
  const std::int64_t wake =
      core.wheel.insert(core.state.front, warp.rank, cycle, std::max(now, core.state.acted));
  turns_[sub_core] = earlier(turns_[sub_core], turn_of(sub_core, wake));
  if (sub_core != at_turn_)
    others_turn_ = earlier(others_turn_, turns_[sub_core]);
}

// The warp has issued the last operation of its path, at `issued`.
void Sm::leave(Warp& warp, const HotOp& last, Time issued, std::int64_t now) {
  if (ends_at_last_issue())
    warp.completed = because(issued + last.issue_interval, last.waits_as);
  if (warp.barrier != nullptr) { // it finishes when the barrier lets it go
    wait_at_barrier(warp, now);
    return;
  }
  finish_warp(warp, &last);
  settle_barriers(warp.cta, now);
}

// `last`: the operation that it finishes with; null if it had none.
void Sm::finish_warp(Warp& warp, const HotOp* last) {
  --ctas_[warp.cta].live_warps;
  if (warp.awaited == 0 || ends_at_last_issue()) {
    end_warp(warp, last);
    return;
  }
  warp.last = last;
  ++ctas_[warp.cta].draining_warps;
}

void Sm::end_warp(Warp& warp, const HotOp* last) {
  Cta& cta = ctas_[warp.cta];
  const Time end = std::max(without_reason(warp.completed), warp.charged_to);
  if (last != nullptr) {
    const std::size_t state = reason_of(warp.completed);
    if (trace_ != nullptr)
      observe_wait(warp, *last, static_cast<WarpState>(state), end);
    last->charges->time[state] += end - warp.charged_to;
  }
  resident_time_ += end - warp.began;
  residency_.add(warp.began, end);
  cta.end = std::max(cta.end, end);
  if (cta.live_warps == 0 && cta.draining_warps == 0)
    end_cta(warp.cta);
}

void Sm::end_cta(std::uint32_t slot) {
  const Time end = ctas_[slot].end;
  if (ends_at_last_issue())
    forget_awaited(slot);
  last_end_ = std::max(last_end_, end);
  dependents_.end_cta(ctas_[slot].triggered, end);
  ended_.push_back({end, slot});
  if (!replaces_ctas_)
    return;
  std::push_heap(ended_.begin(), ended_.end(), ends_later);
  next_replacement_ = cycle_of(ended_.front().end);
}

void Sm::place_ctas() {
  const std::int64_t now = next_replacement_;
  now_ = std::max(now_, now);
  if (replaces_ctas_) {
    replace_ended_ctas(now);
    return;
  }
  while (next_replacement_ <= now) {
    const Placement placed = placements_.front();
    placements_.pop_front();
    next_replacement_ = placements_.empty() ? WakeWheel::never : cycle_of(placements_.front().at);
    begin_cta(placed.slot, placed.kind, placed.begin, now);
  }
}

void Sm::place(const Placement& placement) {
  placements_.push_back(placement);
  next_replacement_ = cycle_of(placements_.front().at);
}

void Sm::replace_ended_ctas(std::int64_t now) {
  while (next_replacement_ <= now) {
    std::pop_heap(ended_.begin(), ended_.end(), ends_later);
    const EndedCta ended = ended_.back();
    ended_.pop_back();
    next_replacement_ = ended_.empty() ? WakeWheel::never : cycle_of(ended_.front().end);
    place_cta(ended.slot, ended.end, now);
  }
}

} // namespace kerncast::engine
