// The plain sequential event loop: one list of all events, the earliest first. No windows, no parts.
#pragma once

#include <algorithm>
#include <vector>

#include "pdes/process.h"

namespace kerncast::pdes {

template <class Payload> class PlainLoop {
public:
  explicit PlainLoop(std::vector<Process<Payload>*> processes) : processes_(std::move(processes)) {}

  void post(ProcessId target, Time time, const Payload& payload) {
    push({time, posted_++, 0, target, payload});
  }

  // Returns how many events there were.
  std::uint64_t run() {
    std::vector<std::uint64_t> sequence(processes_.size(), posted_);
    std::uint64_t handled = 0;
    while (true) {
      const auto actor =
          std::min_element(processes_.begin(), processes_.end(),
                           [](const auto* a, const auto* b) { return a->next_action() < b->next_action(); });
      const Time action = (*actor)->next_action();
      const Time first = events_.empty() ? never : events_.front().time;
      if (action == never && first == never)
        return handled;
      if (action <= first) {
        const auto id = static_cast<ProcessId>(actor - processes_.begin());
        with_outbox(id, sequence[id], action, [&](auto& out) { (*actor)->advance(action + 1, out); });
        continue;
      }
      std::pop_heap(events_.begin(), events_.end(), is_later<Payload>);
      const Event<Payload> event = events_.back();
      events_.pop_back();
      ++handled;
      with_outbox(event.target, sequence[event.target], event.time,
                  [&](auto& out) { processes_[event.target]->handle(event, out); });
    }
  }

private:
  void push(const Event<Payload>& event) {
    events_.push_back(event);
    std::push_heap(events_.begin(), events_.end(), is_later<Payload>);
  }

  template <class Do> void with_outbox(ProcessId id, std::uint64_t& sequence, Time now, Do&& act) {
    Outgoing<Payload> outgoing{.to_part = std::vector<std::vector<Event<Payload>>>(1), .to_rank = {}};
    std::vector<Event<Payload>> own, own_later;
    const Placement placement;
    Outbox<Payload> out(id, sequence, now + 1, 0, placement, outgoing, own, own_later);
    act(out);
    for (const auto* sent : {&own, &own_later, &outgoing.to_part[0]})
      for (const Event<Payload>& event : *sent)
        push(event);
  }

  std::vector<Process<Payload>*> processes_;
  std::vector<Event<Payload>> events_; // a heap
  std::uint64_t posted_ = 0;
};

} // namespace kerncast::pdes
