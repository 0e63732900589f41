// What runs at the same time on one engine: which kernels have room beside others, and how long they then
// take.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "timeline/event_core.h"

namespace kerncast::timeline {

KernelShare EventCore::share_of(const Item& item) const {
  const bool is_known = item.engine == Engine::kernels && item.number < concurrency_.shares.size();
  return is_known ? concurrency_.shares[item.number] : KernelShare{};
}

// In all of what runs.
KernelShare EventCore::share_of(const EngineState& engine) const {
  KernelShare sum{0, 0, 0, 0};
  for (const Running& one : engine.running)
    sum += share_of(streams_[one.stream].front());
  return sum;
}

// What runs beside others is kernels, since nothing else takes less than the whole of its engine.
bool EventCore::has_room(const EngineState& engine, const Item& next) const {
  if (engine.receives)
    return false;
  if (engine.running.empty() && engine.kept.empty())
    return true;
  if (engine.running.size() + engine.kept.size() >= concurrency_.grids)
    return false;
  if (!engine.together.empty() && engine.together.size() < concurrency_.together.most_kernels &&
      runs_together(next))
    return true;
  KernelShare sum = share_of(engine);
  for (const Kept& kept : engine.kept)
    sum += kept.share;
  sum += share_of(next);
  return fit_together(sum);
}

// Whether it may run together with others as SimulatedTogether says.
bool EventCore::runs_together(const Item& item) const {
  return concurrency_.together.ends && item.engine == Engine::kernels && item.piece == Item::Piece::whole;
}

// The item is the last of what runs.
void EventCore::join(EngineState& engine, const Item& item) {
  if (engine.running.size() == 1) {
    engine.together.clear();
    engine.together_since = now_;
  }
  const bool is_first = engine.running.size() == 1 && engine.kept.empty();
  if (!is_first && engine.together.empty())
    return;
  if (!runs_together(item) || engine.together.size() >= concurrency_.together.most_kernels)
    return go_on_by_shares(engine);
  engine.running.back().together = engine.together.size();
  engine.together.push_back({item.number, now_ - engine.together_since});
  engine.asks_again = engine.together.size() > 1;
}

// All that begin now have begun.
void EventCore::settle_together(EngineState& engine) {
  if (!std::exchange(engine.asks_again, false))
    return;
  const std::optional<std::vector<double>> ends = concurrency_.together.ends(engine.together);
  if (!ends) {
    go_on_by_shares(engine);
    return set_speed(engine);
  }
  has_run_together_ = true;
  for (Running& one : engine.running)
    one.end = end_time(std::max(now_, engine.together_since + (*ends)[one.together]));
}

// What is left of each is as much of its time alone as of its time together.
void EventCore::go_on_by_shares(EngineState& engine) {
  engine.asks_again = false;
  if (engine.together.empty())
    return;
  engine.together.clear();
  engine.slowdown = 1;
  for (Running& one : engine.running) {
    const double left = one.end > one.begin ? (one.end - now_) / (one.end - one.begin) : 0;
    one.end = end_time(now_ + left * streams_[one.stream].front().duration);
  }
}

// After what runs has changed.
void EventCore::set_speed(EngineState& engine) {
  if (!engine.together.empty())
    return;
  has_shared_ = has_shared_ || engine.running.size() > 1;
  const double before = engine.slowdown;
  engine.slowdown = engine.running.size() > 1 ? slowdown(share_of(engine)) : 1;
  if (engine.slowdown == before)
    return;
  for (Running& one : engine.running)
    one.end = end_time(now_ + (one.end - now_) * (engine.slowdown / before));
}

} // namespace kerncast::timeline
