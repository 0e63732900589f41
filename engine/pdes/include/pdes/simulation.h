// Conservative, window-synchronised simulation of logical processes.
//
// A window begins with the earliest event or action of any process and is as long as the lookahead: the least
// time from what a process does to the event that it causes in another. So nothing that happens in a window
// changes what others do in it, and all processes can be computed at once: in turn, on threads, on ranks.
// After each window the events go where they belong, ranks exchange one message with each other, and
// everybody knows where the next window begins. There is always a next window while any event is left, and
// nobody ever waits for a single process: no deadlock, no null messages.
// Left out: lookahead that differs between processes, moving processes between threads or ranks by load.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "pdes/process.h"

namespace kerncast::pdes {

// Calls task(i) for i in [0, count), in any order, on any threads; returns when all have ended.
using ForEach = std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;
// One after the other.
void in_turn(std::size_t count, const std::function<void(std::size_t)>& task);

// Among the ranks of a job, called by all after every window: `outgoing` by rank, what the others sent here
// as the result, in any order; `next` becomes the least of all ranks'. One rank has nobody to talk to.
template <class Payload>
using Exchange = std::function<std::vector<Event<Payload>>(std::vector<std::vector<Event<Payload>>>& outgoing,
                                                           Time& next)>;

// What the processes of this rank did. The same numbers however they are computed, when added over ranks.
struct Statistics {
  std::uint64_t windows = 0;      // of the whole simulation
  std::uint64_t events = 0;       // handled
  std::uint64_t sent = 0;         // of these, to other processes
  std::uint64_t idle_windows = 0; // of single processes: windows in which they had nothing to do
  std::uint64_t busy_windows = 0; // and the others
  Time end = 0;                   // of the last window

  // What other processes did in the same windows.
  void add(const Statistics& other) {
    windows = std::max(windows, other.windows);
    events += other.events;
    sent += other.sent;
    idle_windows += other.idle_windows;
    busy_windows += other.busy_windows;
    end = std::max(end, other.end);
  }
};

template <class Payload> struct Execution {
  Placement placement;
  std::uint32_t rank = 0;
  ForEach for_each = in_turn;
  Exchange<Payload> exchange; // more than one rank
};

template <class Payload> class Simulation {
public:
  // processes[i] has number i; those of other ranks may be null. All outlive the simulation. Windows begin at
  // multiples of `grid`, which is no longer than the lookahead.
  Simulation(std::vector<Process<Payload>*> processes, Time lookahead, Execution<Payload> execution = {},
             Time grid = 1)
      : lookahead_(lookahead), grid_(grid), execution_(std::move(execution)), local_(processes.size()),
        parts_(execution_.placement.parts) {
    assert(lookahead >= grid && grid >= 1 &&
           "processes that cause events at once cannot be computed side by side");
    const Placement& placement = execution_.placement;
    for (ProcessId id = 0; id < processes.size(); ++id) {
      if (placement.rank_of(id) != execution_.rank)
        continue;
      local_[id].process = processes[id];
      parts_[placement.part_of(id)].members.push_back(id);
    }
    for (Part& part : parts_)
      for (Outgoing<Payload>& outgoing : part.outgoing) {
        outgoing.to_part.resize(placement.parts);
        outgoing.to_rank.resize(placement.ranks);
      }
    received_.resize(placement.parts);
  }

  // An event from outside, before `run`; ranks that do not have its target ignore it. Events from outside
  // come before those of process `source` at the same time.
  void post(ProcessId target, Time time, const Payload& payload) {
    if (execution_.placement.rank_of(target) == execution_.rank)
      local_[target].inbox.push_back({time, posted_, 0, target, payload});
    ++posted_;
    first_ = std::min(first_, time);
  }

  // Until no event or action is left before `until`.
  Statistics run(Time until = never) {
    for (Local& local : local_) {
      local.sequence = posted_;
      if (local.process == nullptr)
        continue;
      local.next = local.process->next_action();
      for (const Event<Payload>& event : local.inbox)
        local.next = std::min(local.next, event.time);
      first_ = std::min(first_, local.next);
    }
    std::vector<std::vector<Event<Payload>>> nothing(execution_.placement.ranks);
    if (execution_.placement.ranks > 1)
      execution_.exchange(nothing, first_);
    std::uint64_t windows = 0;
    for (; first_ < until; ++windows) {
      const Time begin = first_ - first_ % grid_;
      end_ = std::min(until, begin > never - lookahead_ ? never : begin + lookahead_);
      execution_.for_each(parts_.size(), [this](std::size_t part) { compute(parts_[part], part); });
      first_ = never;
      for (const Part& part : parts_)
        first_ = std::min(first_, part.next);
      if (execution_.placement.ranks > 1)
        exchange();
      side_ ^= 1;
    }
    return statistics(windows);
  }

private:
  using Events = std::vector<Event<Payload>>;

  struct Local {
    Process<Payload>* process = nullptr; // null: of another rank
    Events inbox;                        // of later windows, in no order
    Time next = never;                   // when it has something to do: of many processes few have at a time
    std::uint64_t sequence = 0;
  };
  struct Part {
    std::vector<ProcessId> members;
    Outgoing<Payload> outgoing[2]; // of this window, and of the one before
    Events due;
    Events own; // that a process sent to itself for this window
    Time next = never;
    Statistics done;
  };

  // One window of the part's processes.
  void compute(Part& part, std::size_t number) {
    collect(number);
    Outgoing<Payload>& outgoing = part.outgoing[side_];
    for (Events& events : outgoing.to_part)
      events.clear();
    outgoing.first = never;
    outgoing.sent = 0;
    part.next = never;
    for (const ProcessId id : part.members)
      part.next = std::min(part.next, compute(part, id, outgoing));
    part.next = std::min(part.next, outgoing.first);
    part.done.sent += outgoing.sent;
  }

  // What was sent in the window before.
  void collect(std::size_t number) {
    const auto put = [this](const Event<Payload>& event) {
      Local& local = local_[event.target];
      local.inbox.push_back(event);
      local.next = std::min(local.next, event.time);
    };
    for (Part& from : parts_)
      for (const Event<Payload>& event : from.outgoing[side_ ^ 1].to_part[number])
        put(event);
    for (const Event<Payload>& event : received_[number])
      put(event);
    received_[number].clear();
  }

  // Returns when the process has something to do next.
  Time compute(Part& part, ProcessId id, Outgoing<Payload>& outgoing) {
    Local& local = local_[id];
    if (local.next >= end_) {
      ++part.done.idle_windows;
      return local.next;
    }
    ++part.done.busy_windows;
    local.next = take_due(part, local);
    const std::size_t kept = local.inbox.size();
    Process<Payload>& process = *local.process;
    Outbox<Payload> out(id, local.sequence, end_, execution_.rank, execution_.placement, outgoing, part.own,
                        local.inbox);
    handle_due(part, process, out);
    process.advance(end_, out);
    assert(part.own.empty() && "what a process does of its own accord causes no event of its own at once");
    local.next = std::min(local.next, process.next_action());
    for (std::size_t i = kept; i < local.inbox.size(); ++i) // that it sent to itself
      local.next = std::min(local.next, local.inbox[i].time);
    return local.next;
  }

  // Moves the events of this window to part.due, in order; returns when the first of the others is.
  Time take_due(Part& part, Local& local) const {
    part.due.clear();
    Time next = never;
    std::size_t kept = 0;
    for (const Event<Payload>& event : local.inbox) {
      if (event.time < end_) {
        part.due.push_back(event);
        continue;
      }
      next = std::min(next, event.time);
      local.inbox[kept++] = event;
    }
    local.inbox.resize(kept);
    std::sort(part.due.begin(), part.due.end());
    return next;
  }

  // The window's events in their order, with those that handling them adds.
  static void handle_due(Part& part, Process<Payload>& process, Outbox<Payload>& out) {
    std::size_t next = 0;
    while (next < part.due.size() || !part.own.empty()) {
      ++part.done.events;
      const bool is_own = !part.own.empty() && (next == part.due.size() || part.own.front() < part.due[next]);
      if (!is_own) {
        process.handle(part.due[next++], out);
        continue;
      }
      std::pop_heap(part.own.begin(), part.own.end(), is_later<Payload>);
      const Event<Payload> event = part.own.back();
      part.own.pop_back();
      process.handle(event, out);
    }
  }

  void exchange() {
    std::vector<Events> to_rank(execution_.placement.ranks);
    for (Part& part : parts_)
      for (std::size_t rank = 0; rank < to_rank.size(); ++rank) {
        Events& events = part.outgoing[side_].to_rank[rank];
        to_rank[rank].insert(to_rank[rank].end(), events.begin(), events.end());
        events.clear();
      }
    for (const Event<Payload>& event : execution_.exchange(to_rank, first_))
      received_[execution_.placement.part_of(event.target)].push_back(event);
  }

  Statistics statistics(std::uint64_t windows) const {
    Statistics sum{.windows = windows, .end = end_};
    for (const Part& part : parts_)
      sum.add(part.done);
    return sum;
  }

  Time lookahead_;
  Time grid_;
  Execution<Payload> execution_;
  std::vector<Local> local_;
  std::vector<Part> parts_;
  std::vector<Events> received_; // from other ranks, by part
  std::uint64_t posted_ = 0;
  Time first_ = never; // where the next window begins
  Time end_ = 0;       // of the window
  int side_ = 0;       // of Part::outgoing
};

} // namespace kerncast::pdes
