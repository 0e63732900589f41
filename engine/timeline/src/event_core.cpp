#include "event_core.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace kerncast::timeline {

std::uint32_t EventCore::stream_index(std::uint32_t stream) {
  const auto [found, is_new] =
      stream_indices_.try_emplace(stream, static_cast<std::uint32_t>(streams_.size()));
  if (is_new)
    streams_.emplace_back();
  return found->second;
}

void EventCore::issue(std::uint32_t stream, double duration_us, Engine engine) {
  const std::uint32_t index = stream_index(stream);
  streams_[index].push_back({duration_us, issued_++, engine});
  if (streams_[index].size() == 1)
    make_front_ready(index);
}

void EventCore::make_front_ready(std::uint32_t stream) {
  const Item& item = streams_[stream].front();
  engines_[static_cast<std::size_t>(item.engine)].ready.emplace(now_us_, item.order, stream);
}

void EventCore::start_idle_engines() {
  for (EngineState& engine : engines_) {
    if (engine.running || engine.ready.empty())
      continue;
    engine.stream = std::get<2>(engine.ready.top());
    engine.ready.pop();
    engine.end_us = now_us_ + streams_[engine.stream].front().duration_us;
    engine.running = true;
    ++running_;
  }
}

void EventCore::end_item(EngineState& engine) {
  engine.running = false;
  --running_;
  last_end_us_ = std::max(last_end_us_, engine.end_us);
  std::deque<Item>& stream = streams_[engine.stream];
  assert(!stream.empty() && "an item that runs is its stream's front");
  stream.pop_front();
  if (!stream.empty())
    make_front_ready(engine.stream);
}

// Settles the next time at which items end, if it is not after the limit.
bool EventCore::step(double limit_us) {
  start_idle_engines();
  double next_us = std::numeric_limits<double>::infinity();
  for (const EngineState& engine : engines_)
    if (engine.running)
      next_us = std::min(next_us, engine.end_us);
  if (running_ == 0 || next_us > limit_us)
    return false;
  busy_us_ += next_us - now_us_;
  now_us_ = next_us;
  for (EngineState& engine : engines_)
    if (engine.running && engine.end_us == next_us)
      end_item(engine);
  return true;
}

void EventCore::advance_to(double time_us) {
  assert(time_us >= now_us_ && "time does not run backwards");
  if (time_us == now_us_) // engines pick only once everything of this time has been issued
    return;
  while (step(time_us)) {
  }
  if (running_ > 0)
    busy_us_ += time_us - now_us_;
  now_us_ = time_us;
}

void EventCore::drain() {
  while (step(std::numeric_limits<double>::infinity())) {
  }
}

} // namespace kerncast::timeline
