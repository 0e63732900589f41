// A logical process: a part of the simulated system that others reach by events only.
#pragma once

#include <algorithm>
#include <cassert>
#include <vector>

#include "pdes/event.h"

namespace kerncast::pdes {

// Where every process is computed.
struct Placement {
  std::uint32_t ranks = 1;
  std::uint32_t parts = 1; // of a rank: processes that one thread computes at a time

  std::uint32_t rank_of(ProcessId id) const { return id % ranks; }
  std::uint32_t part_of(ProcessId id) const { return id / ranks % parts; }
};

// What the processes of one part send in a window, by where it goes.
template <class Payload> struct Outgoing {
  std::vector<std::vector<Event<Payload>>> to_part;
  std::vector<std::vector<Event<Payload>>> to_rank;
  Time first = never; // of all of them, and of what processes sent to themselves for later
  std::uint64_t sent = 0;
};

// Through which a process sends, during one window.
template <class Payload> class Outbox {
public:
  Outbox(ProcessId source, std::uint64_t& sequence, Time window_end, std::uint32_t rank,
         const Placement& placement, Outgoing<Payload>& outgoing, std::vector<Event<Payload>>& own,
         std::vector<Event<Payload>>& own_later)
      : source_(source), sequence_(sequence), window_end_(window_end), rank_(rank), placement_(placement),
        outgoing_(outgoing), own_(own), own_later_(own_later) {}

  // To itself at any time that has not passed; to others the lookahead after now at the earliest.
  void send(ProcessId target, Time time, const Payload& payload) {
    const Event<Payload> event{time, sequence_++, source_, target, payload};
    if (target == source_ && time < window_end_) {
      own_.push_back(event);
      std::push_heap(own_.begin(), own_.end(), is_later<Payload>);
      return;
    }
    outgoing_.first = std::min(outgoing_.first, time);
    if (target == source_) {
      own_later_.push_back(event);
      return;
    }
    assert(time >= window_end_ && "an event to another process keeps the lookahead");
    const std::uint32_t rank = placement_.rank_of(target);
    (rank == rank_ ? outgoing_.to_part[placement_.part_of(target)] : outgoing_.to_rank[rank])
        .push_back(event);
    ++outgoing_.sent;
  }

private:
  ProcessId source_;
  std::uint64_t& sequence_;
  Time window_end_;
  std::uint32_t rank_;
  const Placement& placement_;
  Outgoing<Payload>& outgoing_;
  std::vector<Event<Payload>>& own_; // in this window; a heap, earliest first
  std::vector<Event<Payload>>& own_later_;
};

// In every window a process handles the events of that window in their order; then it acts of its own accord
// up to the window's end, if it does that at all: it knows by then what happens to it until there. Such a
// process sends to others either what it causes by events or by actions: the order of both is not defined.
template <class Payload> class Process {
public:
  virtual ~Process() = default;
  virtual void handle(const Event<Payload>& event, Outbox<Payload>& out) = 0;
  // Acts before `end`.
  virtual void advance(Time /*end*/, Outbox<Payload>& /*out*/) {}
  // When it acts next of its own accord.
  virtual Time next_action() const { return never; }
};

} // namespace kerncast::pdes
