// A logical process for each group of ranks, and the first, with number 0, also for rank 0: what passes
// between ranks of a group stays inside it.
#include "cluster/distribution_model.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "cluster/collectors.h"
#include "cluster/distribution.h"
#include "cluster/grouped_queue.h"
#include "pdes/simulation.h"

namespace kerncast::cluster {
namespace {

struct Message {
  enum class Kind : std::uint8_t {
    ask,      // at rank 0: a worker that had this unit, or none, wants another
    unit,     // at a worker
    find,     // at a worker: what the unit's group shares
    later,    // at a worker: it is to ask again
    nothing,  // at a worker: there is none
    computed, // at a worker: its next rows
    results,  // at a collector, or at rank 0
    heard,    // at rank 0: it is done with a message
    pass_on,  // at a collector: what it has goes to rank 0
  };
  Kind kind = Kind::ask;
  std::uint32_t rank = 0; // of the worker
  std::uint32_t unit = 0;
  std::uint32_t rows = 0;
};

constexpr std::uint32_t no_unit = UINT32_MAX;

using Event = pdes::Event<Message>;
using Outbox = pdes::Outbox<Message>;
using Kind = Message::Kind;

constexpr Nanoseconds kept_back = std::chrono::nanoseconds(collector_pause).count();
constexpr Nanoseconds asks_again = std::chrono::nanoseconds(asks_root_again).count();

struct Job {
  const std::vector<ModelUnit>& units;
  std::map<std::uint32_t, std::uint32_t> units_of; // groups
  std::uint32_t ranks;
  std::uint32_t group_size;
  DistributionCosts costs;

  pdes::ProcessId group_of(std::uint32_t rank) const { return rank / group_size; }
  bool is_shared(std::uint32_t group) const { return units_of.at(group) > 1; }
  // Not rank 0 where it only serves.
  std::uint32_t first_worker() const { return ranks < root_only_serves_from ? 0 : 1; }
  std::uint32_t groups() const { return (ranks + group_size - 1) / group_size; }
};

// The ranks of a group. The first is their collector.
class Group : public pdes::Process<Message> {
public:
  Group(const Job& job, pdes::ProcessId number)
      : job_(job), number_(number), first_(number * job.group_size),
        working_(std::min(job.group_size, job.ranks - first_) - (number == 0 ? job.first_worker() : 0)),
        left_(job.group_size) {}

  void handle(const Event& event, Outbox& out) override {
    const Message& message = event.payload;
    switch (message.kind) {
    case Kind::unit:
      left_[message.rank - first_] = job_.units[message.unit].rows;
      compute(message, event.time + preparing(message), out);
      return;
    case Kind::find:
      ask(message, event.time + preparing(message), out);
      return;
    case Kind::later:
      ask({.rank = message.rank, .unit = no_unit}, event.time + asks_again, out);
      return;
    case Kind::computed:
      send_rows(message, event.time, out);
      return;
    case Kind::nothing:
      if (--working_ == 0)
        pass_on(event.time, out);
      return;
    case Kind::results:
      collect(message, event.time, out);
      return;
    case Kind::pass_on:
      pass_on(event.time, out);
      return;
    case Kind::ask:
    case Kind::heard:
      return;
    }
  }

protected:
  const Job& job() const { return job_; }
  // Takes time from the worker of the collector.
  void take_time(Nanoseconds time) { taken_ += time; }
  virtual void collect(const Message& results, Nanoseconds now, Outbox& out) {
    take_time(results.rank == first_ ? 0 : job_.costs.hear + results.rows * job_.costs.hear_row);
    if (held_ == 0)
      out.send(number_, now + kept_back, {.kind = Kind::pass_on});
    held_ += results.rows;
  }

private:
  Nanoseconds latency_of(std::uint32_t rank) const { return rank == first_ ? 0 : job_.costs.latency; }

  // What the rank has to do before the unit.
  Nanoseconds preparing(const Message& unit) {
    const ModelUnit& what = job_.units[unit.unit];
    const bool is_new = prepared_.emplace(unit.rank, what.group).second;
    const bool must_find = unit.kind == Kind::find || !job_.is_shared(what.group);
    return (is_new && what.group % job_.ranks != unit.rank ? what.prepare : 0) +
           (must_find ? what.shared : 0);
  }

  void ask(const Message& before, Nanoseconds now, Outbox& out) {
    out.send(0, now + (before.rank == 0 ? 0 : job_.costs.latency), {Kind::ask, before.rank, before.unit, 0});
  }

  // Rows of the unit until some must be sent.
  void compute(const Message& unit, Nanoseconds now, Outbox& out) {
    const Nanoseconds row = job_.units[unit.unit].row;
    const std::uint32_t left = left_[unit.rank - first_];
    const Nanoseconds until_sent = row == 0 ? left : (kept_back + row - 1) / row;
    const auto rows = static_cast<std::uint32_t>(std::min<Nanoseconds>(left, until_sent));
    out.send(number_, now + rows * row, {Kind::computed, unit.rank, unit.unit, rows});
  }

  void send_rows(const Message& computed, Nanoseconds now, Outbox& out) {
    if (computed.rank == first_ && taken_ > 0) { // it was slower by what else it did
      const Nanoseconds later = now + taken_;
      taken_ = 0;
      out.send(number_, later, computed);
      return;
    }
    out.send(number_, now + latency_of(computed.rank), {Kind::results, computed.rank, 0, computed.rows});
    std::uint32_t& left = left_[computed.rank - first_];
    left -= computed.rows;
    if (left > 0)
      compute(computed, now, out);
    else
      ask(computed, now, out);
  }

  void pass_on(Nanoseconds now, Outbox& out) {
    if (held_ > 0)
      out.send(0, now + job_.costs.latency, {Kind::results, first_, 0, held_});
    held_ = 0;
  }

  const Job& job_;
  pdes::ProcessId number_;
  std::uint32_t first_;
  std::uint32_t working_;           // ranks that have not been told that nothing is left
  std::vector<std::uint32_t> left_; // of each rank's unit: rows that are not computed
  std::set<std::pair<std::uint32_t, std::uint32_t>> prepared_; // ranks and groups
  std::uint32_t held_ = 0;                                     // rows
  Nanoseconds taken_ = 0;
};

class Root : public Group {
  using Task = GroupedQueue::Task::Kind;

public:
  explicit Root(const Job& job) : Group(job, 0), queue_(queued(job.units)) {}

  void handle(const Event& event, Outbox& out) override {
    const Message& message = event.payload;
    if (message.kind == Kind::ask && message.rank == 0) {
      out.send(0, event.time, answer(message).first);
    } else if (message.kind == Kind::ask) {
      questions_.push_back(event);
      listen(event.time, out);
    } else if (message.kind == Kind::heard) {
      listens_ = false;
      sleeps_ = questions_.empty() && results_.empty();
      listen(event.time, out);
    } else {
      Group::handle(event, out);
    }
  }

  ModelledJob result;

protected:
  void collect(const Message& results, Nanoseconds now, Outbox& out) override {
    if (results.rank == 0) {
      deliver(results, now);
      return;
    }
    results_.push_back(results);
    listen(now, out);
  }

private:
  static std::vector<GroupedQueue::Unit> queued(const std::vector<ModelUnit>& units) {
    std::vector<GroupedQueue::Unit> queued;
    for (const ModelUnit& unit : units)
      queued.push_back({unit.group, static_cast<double>(unit.rows) * static_cast<double>(unit.row)});
    return queued;
  }

  void deliver(const Message& results, Nanoseconds now) {
    const Nanoseconds time = job().costs.deliver + results.rows * job().costs.deliver_row;
    result.end = std::max(result.end, now) + time;
    result.delivering += time;
    take_time(time);
  }

  // To the next message, if there is one and rank 0 is done with the one before.
  void listen(Nanoseconds now, Outbox& out) {
    if (listens_)
      return;
    if (!questions_.empty()) {
      const Event question = questions_.front();
      questions_.pop_front();
      result.longest_wait = std::max(result.longest_wait, now - question.time);
      const auto [told, answering] = answer(question.payload);
      const Nanoseconds time = waking() + answering;
      out.send(job().group_of(told.rank), now + time + job().costs.latency, told);
      hear(now, time, out);
    } else if (!results_.empty()) {
      const Message results = results_.front();
      results_.pop_front();
      const Nanoseconds time = waking() + job().costs.hear + results.rows * job().costs.hear_row;
      deliver(results, now + time);
      hear(now, time, out);
    }
  }

  Nanoseconds waking() const { return sleeps_ ? job().costs.wake : 0; }

  void hear(Nanoseconds now, Nanoseconds time, Outbox& out) {
    listens_ = true;
    result.listening += time;
    ++result.messages;
    take_time(time);
    out.send(0, now + time, {.kind = Kind::heard});
  }

  // With the time it takes rank 0.
  std::pair<Message, Nanoseconds> answer(const Message& ask) {
    std::optional<std::uint32_t> before;
    if (ask.unit != no_unit)
      before = job().units[ask.unit].group;
    const bool brings = before && queue_.is_awaited(*before);
    if (brings)
      queue_.found(*before);
    const GroupedQueue::Task next = queue_.next(before);
    const std::uint32_t group = job().units[next.unit].group;
    const bool takes = next.kind == Task::unit && before != group && job().is_shared(group);
    return {{kind_of(next.kind), ask.rank, static_cast<std::uint32_t>(next.unit), 0},
            job().costs.answer + (brings || takes ? job().costs.shared : 0)};
  }
  static Kind kind_of(Task task) {
    switch (task) {
    case Task::unit:
      return Kind::unit;
    case Task::find:
      return Kind::find;
    case Task::later:
      return Kind::later;
    case Task::nothing:
      break;
    }
    return Kind::nothing;
  }

  GroupedQueue queue_;
  std::deque<Event> questions_;
  std::deque<Message> results_;
  bool listens_ = false;
  bool sleeps_ = true;
};

// By group, its first unit.
std::map<std::uint32_t, const ModelUnit*> groups_of(const std::vector<ModelUnit>& units) {
  std::map<std::uint32_t, const ModelUnit*> groups;
  for (const ModelUnit& unit : units)
    groups.emplace(unit.group, &unit);
  return groups;
}

std::map<std::uint32_t, std::uint32_t> counted(const std::vector<ModelUnit>& units) {
  std::map<std::uint32_t, std::uint32_t> units_of;
  for (const ModelUnit& unit : units)
    ++units_of[unit.group];
  return units_of;
}

// All wait for the last.
Nanoseconds preparing_in_turn(const std::map<std::uint32_t, const ModelUnit*>& groups, std::uint32_t ranks) {
  std::map<std::uint32_t, Nanoseconds> of_rank;
  for (const auto& [group, unit] : groups)
    of_rank[group % ranks] += unit->prepare;
  Nanoseconds longest = 0;
  for (const auto& [rank, time] : of_rank)
    longest = std::max(longest, time);
  return longest;
}

} // namespace

ModelledJob model_distribution(const std::vector<ModelUnit>& units, int ranks,
                               const DistributionCosts& costs) {
  const Job job{units, counted(units), static_cast<std::uint32_t>(ranks),
                static_cast<std::uint32_t>(group_size(ranks)), costs};
  Root root(job);
  std::vector<std::unique_ptr<Group>> others;
  std::vector<pdes::Process<Message>*> processes{&root};
  for (pdes::ProcessId group = 1; group < job.groups(); ++group) {
    others.push_back(std::make_unique<Group>(job, group));
    processes.push_back(others.back().get());
  }
  pdes::Simulation<Message> simulation(std::move(processes), costs.latency);
  const auto groups = groups_of(units);
  const Nanoseconds start = costs.start + preparing_in_turn(groups, job.ranks);
  for (std::uint32_t rank = job.first_worker(); rank < job.ranks; ++rank)
    simulation.post(0, start + (rank == 0 ? 0 : costs.latency), {Kind::ask, rank, no_unit, 0});
  simulation.run();
  ModelledJob result = root.result;
  for (const ModelUnit& unit : units)
    result.computing += unit.rows * unit.row;
  for (const auto& [group, unit] : groups)
    result.computing += unit->shared + unit->prepare;
  return result;
}

} // namespace kerncast::cluster
