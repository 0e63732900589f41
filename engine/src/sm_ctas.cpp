// CTAs of one SM: placement, replacement and barriers.
#include <algorithm>

#include "sm.h"

namespace kerncast::engine {
namespace {

constexpr auto ends_later = [](const auto& a, const auto& b) {
  return a.end != b.end ? a.end > b.end : a.slot > b.slot;
};

} // namespace

bool Sm::next_kind(std::uint32_t& kind) {
  while (run_ < workload_.ctas.size() && run_done_ == workload_.ctas[run_].count) {
    ++run_;
    run_done_ = 0;
  }
  if (run_ == workload_.ctas.size())
    return false;
  ++run_done_;
  kind = workload_.ctas[run_].kind;
  return true;
}

void Sm::place_cta(std::uint32_t slot, double at, std::int64_t now) {
  std::uint32_t kind = 0;
  if (!next_kind(kind))
    return;
  const double begin = at + config_.cta_launch_latency;
  ctas_[slot] = {.live_warps = warps_per_cta_, .end = begin};
  const std::vector<std::uint32_t>& paths = workload_.kinds[kind].warp_paths;
  for (std::uint32_t i = 0; i < warps_per_cta_; ++i)
    start_warp(slot * warps_per_cta_ + i, paths[i], begin, now);
}

void Sm::start_warp(std::uint32_t index, std::uint32_t path, double begin, std::int64_t now) {
  // The scoreboard keeps the times of the warp before, which all lie before `begin`.
  Warp& warp = warps_[index];
  warp.cta = index / warps_per_cta_;
  warp.sub_core = index % sub_cores_;
  warp.bit = index / sub_cores_;
  warp.earliest = warp.charged_to = warp.completed = warp.memory_completed = warp.began = begin;
  warp.completes_as = WarpState::wait;
  warp.alive = true;
  warp.at_barrier = false;
  cores_[warp.sub_core].ages[warp.bit] = next_age_++;
  enter_step(warp, program_.path_start[path]);
  if (finished(warp)) { // every operation of its path is free on this GPU
    finish_warp(warp, now);
    return;
  }
  find_operands(warp);
  SubCore& core = cores_[warp.sub_core];
  core.next_event = std::min(core.next_event, core.wheel.insert(warp.bit, cycle_of(begin), now));
}

void Sm::finish_warp(Warp& warp, std::int64_t now) {
  warp.alive = false;
  Cta& cta = ctas_[warp.cta];
  const double end = std::max(warp.completed, warp.charged_to);
  charge(warp.completes_as, end - warp.charged_to);
  result_.resident_warp_cycles += end - warp.began;
  cta.end = std::max(cta.end, end);
  --cta.live_warps;
  if (cta.live_warps == 0) {
    last_end_ = std::max(last_end_, cta.end);
    ended_.push_back({cta.end, warp.cta});
    std::push_heap(ended_.begin(), ended_.end(), ends_later);
  } else if (cta.arrived == cta.live_warps) {
    release_barrier(warp.cta, now);
  }
}

void Sm::replace_ended_ctas(std::int64_t now) {
  while (!ended_.empty() && cycle_of(ended_.front().end) <= now) {
    std::pop_heap(ended_.begin(), ended_.end(), ends_later);
    const CtaEnd ended = ended_.back();
    ended_.pop_back();
    place_cta(ended.slot, ended.end, now);
  }
}

void Sm::arrive_at_barrier(Warp& warp, double latency, double start) {
  warp.at_barrier = true;
  Cta& cta = ctas_[warp.cta];
  ++cta.arrived;
  cta.last_arrival = std::max(cta.last_arrival, start);
  cta.barrier_latency = latency;
}

void Sm::release_barrier(std::uint32_t slot, std::int64_t now) {
  Cta& cta = ctas_[slot];
  // No scheduler sees the release in the cycle of the last arrival, whether it acts before or after.
  const double released = std::max(cta.last_arrival + cta.barrier_latency, static_cast<double>(now + 1));
  cta.arrived = 0;
  cta.last_arrival = 0;
  for (std::uint32_t i = 0; i < warps_per_cta_; ++i) {
    Warp& warp = warps_[slot * warps_per_cta_ + i];
    if (!warp.at_barrier)
      continue;
    warp.at_barrier = false;
    charge(WarpState::barrier, std::max(0.0, released - warp.charged_to));
    warp.charged_to = std::max(warp.charged_to, released);
    warp.earliest = std::max(warp.earliest, released);
    complete(warp, released, WarpState::barrier);
    if (finished(warp))
      finish_warp(warp, now);
    else
      wait_for_operands(warp, now);
  }
}

} // namespace kerncast::engine
