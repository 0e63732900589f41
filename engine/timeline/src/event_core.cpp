#include "timeline/event_core.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace kerncast::timeline {
namespace {

bool is_communication(const Item& item) {
  return item.kind == Item::Kind::external || item.engine == Engine::to_peers ||
         item.engine == Engine::to_network;
}

static_assert(sizeof(Item) == 24, "a million of them wait where the host is ahead");

bool is_peer_copy(const Item& item) {
  return item.kind == Item::Kind::work && item.engine == Engine::peer_copy;
}

bool is_mark(const Item& item) { return item.kind == Item::Kind::record || item.kind == Item::Kind::wait; }

bool continues(const Item& item) {
  return item.piece == Item::Piece::middle || item.piece == Item::Piece::last;
}
bool goes_on(const Item& item) {
  return item.piece == Item::Piece::first || item.piece == Item::Piece::middle;
}

constexpr std::uint64_t most_issues = (std::uint64_t{1} << 56) - 1; // that Item::order tells apart
constexpr double unseen = -1;                                       // no item of the stream is

double& part_of(CriticalPath& path, const Item& item) {
  if (is_communication(item))
    return path.communication;
  return item.engine == Engine::kernels ? path.kernels : path.copies;
}

} // namespace

EventCore::EventCore() {
  for (std::size_t i = 0; i < engine_count; ++i)
    served_by_[i] = static_cast<Engine>(i);
}

std::uint32_t EventCore::stream_index(std::uint32_t stream) {
  const auto [found, is_new] =
      stream_indices_.try_emplace(stream, static_cast<std::uint32_t>(streams_.size()));
  if (is_new) {
    streams_.emplace_back();
    stream_numbers_.push_back(stream);
    begin_.push_back(unseen);
    last_issue_.push_back(0);
    paths_.emplace_back();
    kernel_end_.push_back(-std::numeric_limits<double>::infinity());
  }
  return found->second;
}

bool EventCore::is_idle(std::uint32_t stream) const {
  const auto found = stream_indices_.find(stream);
  return found == stream_indices_.end() || streams_[found->second].empty();
}

CriticalPath EventCore::path_of_stream(std::uint32_t stream) const {
  const auto found = stream_indices_.find(stream);
  return found == stream_indices_.end() ? CriticalPath{} : paths_[found->second];
}

std::uint64_t EventCore::last_issue(std::uint32_t stream) const {
  const auto found = stream_indices_.find(stream);
  return found == stream_indices_.end() ? 0 : last_issue_[found->second];
}

void EventCore::issue(std::uint32_t stream, double duration, Engine engine, std::uint32_t number,
                      std::uint8_t device, bool is_node) {
  push(stream, Item{.kind = Item::Kind::work,
                    .engine = engine,
                    .device = device,
                    .is_node = is_node,
                    .number = number,
                    .duration = duration});
}

void EventCore::issue_peer_copy(std::uint32_t stream, double duration, std::uint32_t number,
                                std::uint8_t from, std::uint8_t to, bool is_node) {
  push(stream, Item{.kind = Item::Kind::work,
                    .engine = Engine::peer_copy,
                    .device = from,
                    .is_node = is_node,
                    .number = number,
                    .duration = duration,
                    .to_device = to});
}

void EventCore::issue_piece(std::uint32_t stream, double duration, Item::Piece piece, bool is_prologue,
                            std::uint32_t number, std::uint8_t device, bool is_node) {
  push(stream, Item{.kind = Item::Kind::work,
                    .device = device,
                    .piece = piece,
                    .is_prologue = is_prologue,
                    .is_node = is_node,
                    .number = number,
                    .duration = duration});
}

void EventCore::issue_external(std::uint32_t stream, std::uint32_t number) {
  push(stream, Item{.kind = Item::Kind::external, .number = number});
}

std::uint32_t EventCore::issue_record(std::uint32_t stream, std::uint8_t device) {
  const auto record = static_cast<std::uint32_t>(records_.size());
  records_.emplace_back();
  push(stream, Item{.kind = Item::Kind::record, .device = device, .number = record});
  return record;
}

void EventCore::issue_wait(std::uint32_t stream, std::uint32_t record, std::uint8_t device,
                           bool ends_kernel) {
  push(stream,
       Item{.kind = Item::Kind::wait, .device = device, .ends_kernel = ends_kernel, .number = record});
}

void EventCore::push(std::uint32_t stream, Item item) {
  const std::uint32_t index = stream_index(stream);
  item.order = issued_++ & most_issues;
  last_issue_[index] = issued_;
  streams_[index].push_back(item);
  ++held_;
  ++held_of_[item.device];
  if (streams_[index].size() == 1)
    settle_front(index);
}

void EventCore::pop_front(std::uint32_t stream) {
  --held_;
  --held_of_[streams_[stream].front().device];
  streams_[stream].pop_front();
}

// False: the stream has to wait for the record.
bool EventCore::passes(const Item& mark, std::uint32_t stream) {
  Record& record = records_[mark.number];
  if (mark.kind == Item::Kind::wait) {
    if (record.is_complete)
      pass_wait(stream, record);
    else
      record.waiting.push_back(stream);
    return record.is_complete;
  }
  record.is_complete = true;
  record.at = now_;
  record.path = cause_;
  for (const std::uint32_t waiting : record.waiting) {
    pass_wait(waiting, record);
    pop_front(waiting);
    unsettled_.push_back(waiting);
  }
  record.waiting = {};
  return true;
}

// The wait in front of the stream.
void EventCore::pass_wait(std::uint32_t stream, const Record& record) {
  if (streams_[stream].front().ends_kernel)
    kernel_end_[stream] = record.at;
}

// The stream's front is new: passes its marks, and those of streams that waited for them, until work, an
// external or a wait is in front.
void EventCore::settle_front(std::uint32_t stream) {
  unsettled_.push_back(stream);
  while (!unsettled_.empty()) {
    const std::uint32_t index = unsettled_.back();
    unsettled_.pop_back();
    std::deque<Item>& items = streams_[index];
    paths_[index] = cause_;
    while (!items.empty() && is_mark(items.front()) && passes(items.front(), index))
      pop_front(index);
    if (items.empty() || is_mark(items.front()))
      continue;
    const Item& front = items.front();
    if (front.kind != Item::Kind::work) {
      starting_.push_back(index);
      continue;
    }
    if (continues(front)) {
      go_on(index);
      continue;
    }
    const double delay = delay_of(front, index);
    paths_[index].launches += delay;
    const Ready ready{now_ + delay, front.order, index};
    server_of(front).ready.push(ready);
    if (is_peer_copy(front))
      receiver_of(front).ready.push(ready);
  }
}

// Of work that has just come to the front.
double EventCore::delay_of(const Item& front, std::uint32_t stream) const {
  if (front.is_node)
    return delays_.node;
  if (front.engine != Engine::kernels)
    return 0;
  return std::max(0.0, kernel_end_[stream] + delays_.kernel_gap - now_);
}

double EventCore::end_time(double time) const { return whole_times_ ? std::ceil(time) : time; }

// The first one that is ready, if there is room for it. A copy between GPUs is started by the engine that it
// leaves; that at which it arrives only has it among its own, to know whether it is the first one there.
bool EventCore::starts_item(EngineState& engine) {
  if (engine.ready.empty() || std::get<double>(engine.ready.top()) > now_)
    return false;
  const auto [since, order, stream] = engine.ready.top();
  const Item& item = streams_[stream].front();
  EngineState* const receiver = is_peer_copy(item) ? &receiver_of(item) : nullptr;
  if (&engine == receiver || !has_room(engine, item))
    return false;
  if (receiver != nullptr && (receiver->ready.top() != engine.ready.top() || !has_room(*receiver, item)))
    return false;
  const bool receiver_was_later = receiver != nullptr && receiver->freed_at > engine.freed_at;
  const CriticalPath path = since == now_        ? paths_[stream]
                            : receiver_was_later ? receiver->freed
                                                 : engine.freed;
  engine.ready.pop();
  if (receiver != nullptr) {
    receiver->ready.pop();
    receiver->receives = true;
  }
  run(engine, stream, path);
  return true;
}

// The next piece of what its engine keeps room for, or has just ended a piece of.
void EventCore::go_on(std::uint32_t stream) {
  EngineState& engine = server_of(streams_[stream].front());
  std::erase_if(engine.kept, [stream](const Kept& kept) { return kept.stream == stream; });
  run(engine, stream, paths_[stream]);
}

// The item in front of the stream, led to by `path`.
void EventCore::run(EngineState& engine, std::uint32_t stream, const CriticalPath& path) {
  const Item& item = streams_[stream].front();
  if (begin_[stream] == unseen)
    begin_[stream] = now_;
  // As if it had run from now on at the speed of those that do.
  engine.running.push_back({stream, now_, end_time(now_ + item.duration * engine.slowdown), path});
  ++running_;
  ++running_of_[static_cast<std::size_t>(item.engine)];
  join(engine, item);
  set_speed(engine);
  if (started_ && is_communication(item))
    started_(item, stream_numbers_[stream]);
}

// Again where a copy to another GPU has started: what is behind it there may be the first one of an engine
// that has been looked at before.
void EventCore::start_ready_items() {
  for (bool again = true; again;) {
    again = false;
    for (EngineState& engine : engines_)
      while (starts_item(engine))
        again = again || engines_.size() > engine_count;
  }
  for (EngineState& engine : engines_)
    settle_together(engine);
}

// Whoever is told may complete the external at once, and so bring the next one to its stream's front.
void EventCore::start_externals() {
  while (!starting_.empty()) {
    const std::uint32_t index = starting_.back();
    starting_.pop_back();
    begin_[index] = now_;
    ++externals_;
    const Item item = streams_[index].front();
    assert(started_ && "who issues externals wants to know when they start");
    started_(item, stream_numbers_[index]);
  }
}

void EventCore::report(const Item& item, std::uint32_t stream, double begin) const {
  if (observer_)
    observer_({item.kind, item.engine, item.device, stream_numbers_[stream], item.number, begin, now_,
               item.is_prologue, 0});
}

// The work in front of the stream ends: that is seen, unless the same goes on behind it.
void EventCore::report_work(std::uint32_t stream) {
  const std::deque<Item>& items = streams_[stream];
  const Item& item = items.front();
  if (goes_on(item)) {
    const auto next = std::find_if_not(items.begin() + 1, items.end(), is_mark);
    assert(next != items.end() && "another piece goes on");
    if (next->is_prologue == item.is_prologue)
      return;
  }
  const double begin = std::exchange(begin_[stream], unseen);
  if (item.is_prologue) {
    const Record& before = records_[items[1].number];
    early_prologues_ += std::max(0.0, (before.is_complete ? before.at : now_) - begin);
  }
  if (now_ > begin || !item.is_prologue)
    report(item, stream, begin);
}

void EventCore::complete_external(std::uint32_t stream) {
  const std::uint32_t index = stream_index(stream);
  std::deque<Item>& items = streams_[index];
  assert(!items.empty() && items.front().kind == Item::Kind::external && "it is its stream's front");
  const double begin = std::exchange(begin_[index], unseen);
  report(items.front(), index, begin);
  --externals_;
  last_end_ = std::max(last_end_, now_);
  cause_ = paths_[index];
  cause_.communication += now_ - begin;
  last_path_ = cause_;
  pop_front(index);
  settle_front(index);
}

void EventCore::end_item(EngineState& engine, const Running& ended) {
  std::deque<Item>& stream = streams_[ended.stream];
  assert(!stream.empty() && "an item that runs is its stream's front");
  const Item item = stream.front();
  if (item.engine == Engine::kernels)
    kernel_end_[ended.stream] = now_;
  --running_;
  --running_of_[static_cast<std::size_t>(item.engine)];
  last_end_ = std::max(last_end_, now_);
  cause_ = ended.path;
  part_of(cause_, item) += now_ - ended.begin;
  engine.freed = cause_;
  engine.freed_at = now_;
  if (is_peer_copy(item)) {
    EngineState& receiver = receiver_of(item);
    receiver.receives = false;
    receiver.freed = cause_;
    receiver.freed_at = now_;
  }
  last_path_ = cause_;
  report_work(ended.stream);
  pop_front(ended.stream);
  settle_front(ended.stream);
  if (goes_on(item) && is_mark(stream.front()))
    engine.kept.push_back({ended.stream, share_of(item)});
}

// Those that end now.
void EventCore::end_items(EngineState& engine) {
  ended_.clear();
  std::erase_if(engine.running, [this](const Running& one) {
    if (one.end == now_)
      ended_.push_back(one);
    return one.end == now_;
  });
  if (ended_.empty())
    return;
  for (const Running& one : ended_)
    end_item(engine, one);
  set_speed(engine);
}

double EventCore::next_change() const {
  double next = std::numeric_limits<double>::infinity();
  for (const EngineState& engine : engines_) {
    for (const Running& one : engine.running)
      next = std::min(next, one.end);
    if (!engine.ready.empty() && std::get<double>(engine.ready.top()) > now_)
      next = std::min(next, std::get<double>(engine.ready.top()));
  }
  return next;
}

void EventCore::pass_time(double until) {
  const double time = until - now_;
  const bool copies = is_running(Engine::copy_to_device) || is_running(Engine::copy_from_device) ||
                      is_running(Engine::copy_within_device) || is_running(Engine::peer_copy);
  const bool kernels = is_running(Engine::kernels);
  const bool communicates = externals_ > 0 || is_running(Engine::to_peers) || is_running(Engine::to_network);
  busy_.any += running_ > 0 ? time : 0;
  busy_.kernels += kernels ? time : 0;
  busy_.copies += copies ? time : 0;
  busy_.gpu += kernels || copies ? time : 0;
  busy_.communication += communicates ? time : 0;
  busy_.exposed += communicates && !kernels && !copies ? time : 0;
  now_ = until;
}

bool EventCore::step(double limit) {
  start_externals();
  start_ready_items();
  const double next = next_change();
  if (next > limit || next == std::numeric_limits<double>::infinity())
    return false;
  pass_time(next);
  for (EngineState& engine : engines_)
    end_items(engine);
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
