// The plain reference for the SM engine: looks at every warp in every cycle. Slow, and written without the
// engine's data structures, so that both are unlikely to be wrong in the same way. Its other files say what
// an SM is, what an instruction waits for, what it does, and how barriers and memory answer.
#pragma once

#include <algorithm>
#include <cmath>

#include "issue.h"
#include "pick.h"

namespace kerncast::engine::reference {

inline Warp new_warp(Sm& sm, std::uint32_t cta, std::uint32_t path, double begin) {
  Warp w;
  w.alive = true;
  w.path = path;
  w.cta = cta;
  w.age = sm.warps_placed++;
  w.earliest = w.completed = begin;
  w.board.assign(sm.program.slot_count, 0.0);
  w.board_elsewhere.assign(sm.program.slot_count, 0.0);
  w.writer.assign(sm.program.slot_count, 0);
  w.waits_done.assign(barriers_of_a_cta, 0);
  w.open.resize(async_groups + 2);
  w.closed.resize(async_groups + 2);
  fetch(sm, w);
  return w;
}

inline void place_cta(Sm& sm, std::uint32_t slot, double at) {
  if (sm.pending.empty())
    return;
  const CtaKind& kind = sm.work.kinds[sm.pending.front()];
  sm.pending.pop_front();
  const double launch = std::max(at, sm.next_launch);
  sm.next_launch = launch + stepped(sm.work.config.cta_launch_interval);
  const double begin = launch + stepped(sm.work.config.cta_launch_latency);
  sm.ctas[slot] = {.live = sm.per_cta, .end = begin, .barriers = std::vector<Barrier>(barriers_of_a_cta)};
  for (std::uint32_t i = 0; i < sm.per_cta; ++i)
    sm.warps[slot * sm.per_cta + i] = new_warp(sm, slot, kind.warp_paths[i], begin);
}

// Those that end first are replaced first.
inline void replace_ended(Sm& sm) {
  while (true) {
    Cta* first = nullptr;
    for (Cta& cta : sm.ctas)
      if (cta.ended && std::floor(cta.end) <= sm.now && (first == nullptr || cta.end < first->end))
        first = &cta;
    if (first == nullptr)
      return;
    first->ended = false;
    place_cta(sm, static_cast<std::uint32_t>(first - sm.ctas.data()), first->end);
  }
}

// One scheduler in one cycle.
inline void schedule(Sm& sm, std::uint32_t sub_core) {
  const SmConfig& config = sm.work.config;
  if (sm.now < sm.next_issue[sub_core])
    return;
  for (std::uint32_t n = 0; n < config.issue_width; ++n) {
    std::vector<std::uint32_t> slots;
    for (std::uint32_t i = sub_core; i < sm.warps.size(); i += config.sub_cores)
      if (can_issue(sm, i, false))
        slots.push_back(i / config.sub_cores);
    if (slots.empty())
      return;
    const auto age = [&](std::uint32_t slot) { return sm.warps[slot * config.sub_cores + sub_core].age; };
    sm.last_slot[sub_core] = pick(config.scheduler, {slots, age, sm.last_slot[sub_core]});
    sm.next_issue[sub_core] = sm.now + config.issue_interval;
    const std::uint32_t index = sm.last_slot[sub_core] * config.sub_cores + sub_core;
    Warp& w = sm.warps[index];
    const bool waits = sm.op_of(w).kind == SmOpKind::barrier && use_of(sm, w).waits;
    const double start = issue(sm, index);
    if (config.dual_issue && !waits && can_issue(sm, index, true)) {
      w.earliest = start;
      issue(sm, index);
    }
  }
}

inline bool is_busy(const Sm& sm) {
  return std::any_of(sm.ctas.begin(), sm.ctas.end(),
                     [](const Cta& cta) { return cta.live > 0 || cta.ended; });
}

inline double cycles_of(const SmWorkload& work) {
  Sm sm = make_sm(work);
  sm.next_launch = stepped(work.config.first_cta_launch);
  for (std::uint32_t slot = 0; slot < work.resident_ctas; ++slot)
    place_cta(sm, slot, 0);
  const std::uint32_t schedulers = work.config.sub_cores;
  for (; is_busy(sm); ++sm.now) {
    replace_ended(sm);
    const auto now = static_cast<std::uint64_t>(sm.now);
    const std::uint64_t first = now + now / 4 + now / 16 + now / 64;
    for (std::uint32_t i = 0; i < schedulers; ++i)
      schedule(sm, static_cast<std::uint32_t>((first + i) % schedulers));
  }
  return std::max({sm.last_end, sm.memory.departed, sm.memory.hottest.free, sm.memory.link.free,
                   sm.memory.l2.free, sm.memory.l2_requests.free, sm.memory.dram.free});
}

} // namespace kerncast::engine::reference
