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
  push(stream, {Item::Kind::work, engine, 0, duration_us, 0});
}

std::uint32_t EventCore::issue_record(std::uint32_t stream) {
  const auto record = static_cast<std::uint32_t>(records_.size());
  records_.emplace_back();
  push(stream, {Item::Kind::record, Engine::kernels, record, 0, 0});
  return record;
}

void EventCore::issue_wait(std::uint32_t stream, std::uint32_t record) {
  push(stream, {Item::Kind::wait, Engine::kernels, record, 0, 0});
}

void EventCore::push(std::uint32_t stream, Item item) {
  const std::uint32_t index = stream_index(stream);
  item.order = issued_++;
  streams_[index].push_back(item);
  if (streams_[index].size() == 1)
    settle_front(index);
}

// False: the stream has to wait for the record.
bool EventCore::passes(const Item& mark, std::uint32_t stream) {
  Record& record = records_[mark.record];
  if (mark.kind == Item::Kind::wait) {
    if (!record.is_complete)
      record.waiting.push_back(stream);
    return record.is_complete;
  }
  record.is_complete = true;
  for (const std::uint32_t waiting : record.waiting) {
    streams_[waiting].pop_front();
    unsettled_.push_back(waiting);
  }
  record.waiting = {};
  return true;
}

// The stream's front is new: passes its marks, and those of streams that waited for them, until work or a
// wait is in front.
void EventCore::settle_front(std::uint32_t stream) {
  unsettled_.push_back(stream);
  while (!unsettled_.empty()) {
    const std::uint32_t index = unsettled_.back();
    unsettled_.pop_back();
    std::deque<Item>& items = streams_[index];
    while (!items.empty() && items.front().kind != Item::Kind::work && passes(items.front(), index))
      items.pop_front();
    if (!items.empty() && items.front().kind == Item::Kind::work)
      engines_[static_cast<std::size_t>(items.front().engine)].ready.emplace(now_us_, items.front().order,
                                                                             index);
  }
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
  settle_front(engine.stream);
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

// Waits refer to earlier records only, so what is not complete has work before it that can run.
void EventCore::drain_stream(std::uint32_t stream) {
  const std::uint32_t index = stream_index(stream);
  while (!streams_[index].empty() && step(std::numeric_limits<double>::infinity())) {
  }
  assert(streams_[index].empty() && "a stream that holds something ends");
}

void EventCore::complete_record(std::uint32_t record) {
  while (!records_[record].is_complete && step(std::numeric_limits<double>::infinity())) {
  }
  assert(records_[record].is_complete && "a record that was issued is completed");
}

} // namespace kerncast::timeline
