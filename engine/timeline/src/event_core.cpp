#include "timeline/event_core.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace kerncast::timeline {
namespace {

bool is_communication(const Item& item) {
  return item.kind == Item::Kind::external || item.engine == Engine::to_peers ||
         item.engine == Engine::to_network;
}

} // namespace

std::uint32_t EventCore::stream_index(std::uint32_t stream) {
  const auto [found, is_new] =
      stream_indices_.try_emplace(stream, static_cast<std::uint32_t>(streams_.size()));
  if (is_new) {
    streams_.emplace_back();
    stream_numbers_.push_back(stream);
    external_begin_.push_back(0);
  }
  return found->second;
}

bool EventCore::is_idle(std::uint32_t stream) const {
  const auto found = stream_indices_.find(stream);
  return found == stream_indices_.end() || streams_[found->second].empty();
}

void EventCore::issue(std::uint32_t stream, double duration, Engine engine, std::uint32_t number) {
  push(stream, {Item::Kind::work, engine, number, duration, 0});
}

void EventCore::issue_external(std::uint32_t stream, std::uint32_t number) {
  push(stream, {Item::Kind::external, Engine::kernels, number, 0, 0});
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
  ++held_;
  if (streams_[index].size() == 1)
    settle_front(index);
}

// False: the stream has to wait for the record.
bool EventCore::passes(const Item& mark, std::uint32_t stream) {
  Record& record = records_[mark.number];
  if (mark.kind == Item::Kind::wait) {
    if (!record.is_complete)
      record.waiting.push_back(stream);
    return record.is_complete;
  }
  record.is_complete = true;
  for (const std::uint32_t waiting : record.waiting) {
    streams_[waiting].pop_front();
    --held_;
    unsettled_.push_back(waiting);
  }
  record.waiting = {};
  return true;
}

// The stream's front is new: passes its marks, and those of streams that waited for them, until work, an
// external or a wait is in front.
void EventCore::settle_front(std::uint32_t stream) {
  unsettled_.push_back(stream);
  while (!unsettled_.empty()) {
    const std::uint32_t index = unsettled_.back();
    unsettled_.pop_back();
    std::deque<Item>& items = streams_[index];
    const auto is_mark = [](const Item& item) {
      return item.kind == Item::Kind::record || item.kind == Item::Kind::wait;
    };
    while (!items.empty() && is_mark(items.front()) && passes(items.front(), index)) {
      items.pop_front();
      --held_;
    }
    if (items.empty() || is_mark(items.front()))
      continue;
    if (items.front().kind == Item::Kind::work)
      engines_[static_cast<std::size_t>(items.front().engine)].ready.emplace(now_, items.front().order,
                                                                             index);
    else
      starting_.push_back(index);
  }
}

void EventCore::start_idle_engines() {
  for (EngineState& engine : engines_) {
    if (engine.running || engine.ready.empty())
      continue;
    engine.stream = std::get<2>(engine.ready.top());
    engine.ready.pop();
    const Item& item = streams_[engine.stream].front();
    engine.begin = now_;
    engine.end = now_ + item.duration;
    engine.running = true;
    ++running_;
    if (started_ && is_communication(item))
      started_(item, stream_numbers_[engine.stream]);
  }
}

// Whoever is told may complete the external at once, and so bring the next one to its stream's front.
void EventCore::start_externals() {
  while (!starting_.empty()) {
    const std::uint32_t index = starting_.back();
    starting_.pop_back();
    external_begin_[index] = now_;
    ++externals_;
    const Item item = streams_[index].front();
    assert(started_ && "who issues externals wants to know when they start");
    started_(item, stream_numbers_[index]);
  }
}

void EventCore::report(const Item& item, std::uint32_t stream, double begin) const {
  if (observer_)
    observer_({item.kind, item.engine, stream_numbers_[stream], item.number, begin, now_});
}

void EventCore::complete_external(std::uint32_t stream) {
  const std::uint32_t index = stream_index(stream);
  std::deque<Item>& items = streams_[index];
  assert(!items.empty() && items.front().kind == Item::Kind::external && "it is its stream's front");
  report(items.front(), index, external_begin_[index]);
  --externals_;
  last_end_ = std::max(last_end_, now_);
  items.pop_front();
  --held_;
  settle_front(index);
}

void EventCore::end_item(Engine which) {
  EngineState& engine = engines_[static_cast<std::size_t>(which)];
  engine.running = false;
  --running_;
  last_end_ = std::max(last_end_, engine.end);
  std::deque<Item>& stream = streams_[engine.stream];
  assert(!stream.empty() && "an item that runs is its stream's front");
  report(stream.front(), engine.stream, engine.begin);
  stream.pop_front();
  --held_;
  settle_front(engine.stream);
}

double EventCore::next_end() const {
  double next = std::numeric_limits<double>::infinity();
  for (const EngineState& engine : engines_)
    if (engine.running)
      next = std::min(next, engine.end);
  return next;
}

void EventCore::pass_time(double until) {
  const double time = until - now_;
  const bool copies = is_running(Engine::copy_to_device) || is_running(Engine::copy_from_device) ||
                      is_running(Engine::copy_within_device);
  const bool kernels = is_running(Engine::kernels);
  const bool communicates = externals_ > 0 || is_running(Engine::to_peers) || is_running(Engine::to_network);
  busy_.any += running_ > 0 ? time : 0;
  busy_.kernels += kernels ? time : 0;
  busy_.copies += copies ? time : 0;
  busy_.communication += communicates ? time : 0;
  busy_.exposed += communicates && !kernels && !copies ? time : 0;
  now_ = until;
}

bool EventCore::step(double limit) {
  start_externals();
  start_idle_engines();
  const double next = next_end();
  if (running_ == 0 || next > limit)
    return false;
  pass_time(next);
  for (std::size_t i = 0; i < engine_count; ++i)
    if (engines_[i].running && engines_[i].end == next)
      end_item(static_cast<Engine>(i));
  return true;
}

void EventCore::advance_to(double time) {
  assert(time >= now_ && "time does not run backwards");
  if (time == now_) // engines pick only once everything of this time has been issued
    return;
  while (step(time)) {
  }
  if (time > now_)
    pass_time(time);
}

} // namespace kerncast::timeline
