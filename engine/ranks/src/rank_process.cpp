#include "rank_process.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace kerncast::ranks {

using timeline::CommunicationEvent;
using timeline::CopyKind;
using timeline::Engine;
using timeline::Item;
using Kind = RankMessage::Kind;

namespace {

// Bytes that a communication through the host copies before and after; of collectives what a rank gives and
// gets.
struct Staged {
  std::uint64_t to_host = 0;
  std::uint64_t to_device = 0;
};

Staged staged(const CommunicationEvent& event, std::uint32_t rank, std::uint32_t ranks) {
  if (!event.through_host)
    return {};
  const std::uint64_t part = (event.bytes + ranks - 1) / ranks;
  switch (event.op) {
  case CommunicationOp::send:
    return {event.bytes, 0};
  case CommunicationOp::receive:
    return {0, event.bytes};
  case CommunicationOp::broadcast:
    return event.peer == rank ? Staged{event.bytes, 0} : Staged{0, event.bytes};
  case CommunicationOp::all_reduce:
  case CommunicationOp::all_to_all:
    return {event.bytes, event.bytes};
  case CommunicationOp::reduce_scatter:
    return {event.bytes, part};
  case CommunicationOp::all_gather:
    return {part, event.bytes};
  case CommunicationOp::barrier:
    return {};
  }
  return {};
}

} // namespace

namespace {

double whole_picoseconds(double us) { return static_cast<double>(to_picoseconds(us)); }

} // namespace

SharedTimes::SharedTimes(const RanksWorkload& given)
    : workload(given), topology(given.cluster, given.program.ranks), lookahead(topology.lookahead()) {
  for (const double us : given.kernel_time_us)
    kernels.push_back(static_cast<double>(to_picoseconds(us)));
}

double SharedTimes::copy(const timeline::CopyEvent& copy) const {
  return static_cast<double>(to_picoseconds(timeline::copy_time_us(copy, workload.gpu)));
}

timeline::Durations SharedTimes::durations() const {
  const timeline::Overheads launch = timeline::overheads(workload.gpu);
  return {kernels, whole_picoseconds(launch.kernel_us), whole_picoseconds(launch.graph_us),
          [this](const timeline::CopyEvent& event) { return copy(event); }, workload.parts};
}

RankProcess::RankProcess(const SharedTimes& times, std::uint32_t rank)
    : times_(times), rank_(rank),
      host_([&times, rank](std::size_t& position) { return times.workload.program.next(rank, position); },
            times.durations(), core_,
            [this](const CommunicationEvent& event, std::size_t position, std::uint32_t stream) {
              issue(event, position, stream);
            }) {
  core_.end_at_whole_times();
  core_.delay({whole_picoseconds(times.workload.gpu.kernel_gap_us),
               whole_picoseconds(times.workload.gpu.graph.node_overhead_us)});
  core_.share({times.workload.shares, times.workload.gpu.resident_grids});
  timeline::set_copy_engines(core_, times.workload.gpu);
  core_.on_start([this](const Item& item, std::uint32_t) { start(item); });
  core_.observe([this](const timeline::ItemSpan& span) { observe(span); });
}

// Of a send.
bool RankProcess::is_long(const CommunicationEvent& event) const {
  const auto& eager = times_.workload.cluster.eager_bytes;
  return eager && event.bytes > *eager;
}

Picoseconds RankProcess::latency_to(std::uint32_t rank) const {
  Route route;
  times_.topology.find_route(rank_, rank, route);
  return times_.topology.latency(route);
}

void RankProcess::issue(const CommunicationEvent& event, std::size_t position, std::uint32_t stream) {
  const Staged copies = staged(event, rank_, times_.topology.ranks());
  if (copies.to_host > 0)
    core_.issue(stream, times_.copy({CopyKind::d2h, copies.to_host}), Engine::copy_from_device);
  const bool alone = times_.topology.ranks() == 1; // collectives then do nothing
  if (!alone) {
    if (free_slots_.empty()) {
      free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const std::uint32_t number = free_slots_.back();
    free_slots_.pop_back();
    slots_[number] = {&event, static_cast<std::uint32_t>(position), stream, false, 0, 0};
    core_.issue_external(stream, number);
    if (event.op == CommunicationOp::send) {
      Route route;
      times_.topology.find_route(rank_, event.peer, route);
      const Picoseconds held = times_.topology.link(route.front()).service(event.bytes);
      core_.issue(stream, static_cast<double>(held),
                  route.front().port == Topology::to_peers ? Engine::to_peers : Engine::to_network, number);
    }
  }
  if (copies.to_device > 0)
    core_.issue(stream, times_.copy({CopyKind::h2d, copies.to_device}), Engine::copy_to_device);
}

// A communication is in front of its stream; or it is a send that may begin, and its link is free.
void RankProcess::start(const Item& item) {
  Slot& slot = slots_[item.number];
  if (item.kind == Item::Kind::external)
    post(slot, item.number);
  else
    depart(slot);
}

void RankProcess::post(Slot& slot, std::uint32_t number) {
  slot.posted = now();
  slot.waits = true;
  if (timeline::is_collective(slot.event->op))
    return join(slot, number);
  if (slot.event->op == CommunicationOp::receive)
    return expect(slot, number);
  slot.number = sent_[{slot.event->peer, slot.event->tag}]++;
  if (is_long(*slot.event))
    ask_receiver(slot, number);
  else
    complete(number, slot.posted, slot.event->peer);
}

void RankProcess::ask_receiver(const Slot& slot, std::uint32_t number) {
  out_->send(slot.event->peer, now() + latency_to(slot.event->peer),
             {.kind = Kind::request,
              .from = rank_,
              .to = slot.event->peer,
              .tag = slot.event->tag,
              .slot = number,
              .position = slot.position,
              .number = slot.number,
              .bytes = slot.event->bytes,
              .begin = slot.posted});
}

void RankProcess::depart(const Slot& slot) {
  Route route;
  times_.topology.find_route(rank_, slot.event->peer, route);
  const LinkCost link = times_.topology.link(route.front());
  const Picoseconds service = link.service(slot.event->bytes);
  const Picoseconds ahead = now() + times_.topology.software() + link.latency;
  link_busy_[route.front().port] += service;
  link_bytes_[route.front().port] += slot.event->bytes;
  ++counts_.messages_sent;
  counts_.bytes_sent += slot.event->bytes;
  out_->send(route[1].vertex, ahead,
             {.kind = Kind::head,
              .hop = 1,
              .from = rank_,
              .to = slot.event->peer,
              .tag = slot.event->tag,
              .position = slot.position,
              .number = slot.number,
              .bytes = slot.event->bytes,
              .begin = slot.posted,
              .tail = ahead + service});
}

void RankProcess::expect(Slot& slot, std::uint32_t number) {
  slot.number = expected_[{slot.event->peer, slot.event->tag}]++;
  const Matched key{slot.event->peer, slot.event->tag, slot.number};
  receiving_[key] = number;
  const auto found = unclaimed_.find(key);
  if (found == unclaimed_.end())
    return;
  const RankMessage message = found->second;
  unclaimed_.erase(found);
  if (message.kind == Kind::request)
    answer(message, slot);
  else
    arrive(message);
}

void RankProcess::answer(const RankMessage& request, const Slot& receiver) {
  out_->send(request.from, now() + latency_to(request.from),
             {.kind = Kind::grant, .from = rank_, .slot = request.slot, .begin = receiver.posted});
}

void RankProcess::join(const Slot& slot, std::uint32_t number) {
  ++counts_.collectives;
  out_->send(times_.coordinator(), now() + times_.lookahead,
             {.kind = Kind::joined,
              .op = slot.event->op,
              .algorithm = slot.event->algorithm,
              .from = rank_,
              .to = slot.event->peer,
              .slot = number,
              .position = slot.position,
              .number = collectives_++,
              .bytes = slot.event->bytes,
              .begin = slot.posted});
}

// A message's end, or the request of a long one.
void RankProcess::arrive(const RankMessage& message) {
  const Matched key{message.from, message.tag, message.number};
  const auto receiving = receiving_.find(key);
  if (receiving == receiving_.end()) {
    unclaimed_[key] = message;
    return;
  }
  const std::uint32_t number = receiving->second;
  const Slot& slot = slots_[number];
  if (message.kind == Kind::request)
    return answer(message, slot);
  check_size(slot, message);
  receiving_.erase(receiving);
  ++counts_.messages_received;
  counts_.bytes_received += message.bytes;
  complete(number, message.begin, message.from);
}

void RankProcess::check_size(const Slot& slot, const RankMessage& message) {
  if (message.bytes != slot.event->bytes)
    problems_.push_back({Problem::Kind::other_size, slot.event->op, rank_, slot.position, message.from,
                         message.position, slot.event->bytes, message.bytes});
}

void RankProcess::complete(std::uint32_t number, Picoseconds partner_ready, std::uint32_t partner) {
  Slot& slot = slots_[number];
  slot.waits = false;
  const Picoseconds waited = std::clamp<Picoseconds>(partner_ready - slot.posted, 0, now() - slot.posted);
  waited_ += waited;
  const Picoseconds ready = slot.posted + waited;
  if (ready < now())
    exchanges_.push_back({now(), ready, waited > 0 ? partner : rank_});
  core_.complete_external(slot.stream);
}

void RankProcess::observe(const timeline::ItemSpan& item) {
  const timeline::ItemSpan span = timeline::DependentLaunches::in_stream(item);
  const bool is_link = span.engine == Engine::to_peers || span.engine == Engine::to_network;
  const bool communicates = span.kind == Item::Kind::external || is_link;
  RankSpan seen{span.kind,
                span.engine,
                span.stream % timeline::device_streams,
                span.number,
                span.is_prologue ? span.branch : 0,
                static_cast<Picoseconds>(span.begin),
                static_cast<Picoseconds>(span.end)};
  if (communicates) {
    Slot& slot = slots_[span.number];
    seen.number = slot.position;
    // Of a send, its way through the link comes last.
    if (is_link == (slot.event->op == CommunicationOp::send)) {
      slot.event = nullptr;
      free_slots_.push_back(span.number);
    }
  }
  if (span.begin == span.end)
    return;
  if (spans_.size() < times_.workload.spans_per_rank)
    spans_.push_back(seen);
  else
    spans_cut_ = times_.workload.spans_per_rank > 0;
}

void RankProcess::handle(const RankEvent& event, RankOutbox& out) {
  out_ = &out;
  host_.run_until(static_cast<double>(event.time));
  core_.advance_to(static_cast<double>(event.time));
  const RankMessage& message = event.payload;
  if (message.kind == Kind::grant)
    complete(message.slot, message.begin, message.from);
  else if (message.kind == Kind::done)
    complete(message.slot, message.begin, message.to);
  else
    arrive(message);
}

void RankProcess::advance(Picoseconds end, RankOutbox& out) {
  out_ = &out;
  has_begun_ = true;
  host_.run_until(static_cast<double>(end - 1));
}

Picoseconds RankProcess::next_action() const {
  if (!has_begun_)
    return 0;
  const double next = host_.next_time();
  return std::isfinite(next) ? static_cast<Picoseconds>(next) : pdes::never;
}

RankOutcome RankProcess::outcome() const {
  const auto us = [](double picoseconds) { return picoseconds / picoseconds_per_us; };
  RankOutcome out{rank_, counts_, exchanges_, spans_};
  const timeline::BusyTimes& busy = core_.busy();
  out.statistics.end_us = us(core_.last_end());
  out.statistics.compute_us = us(busy.kernels);
  out.statistics.copy_us = us(busy.copies);
  out.statistics.busy_us = us(busy.gpu);
  out.statistics.communication_us = us(busy.communication);
  out.statistics.exposed_us = us(busy.exposed);
  out.statistics.waiting_us = us(static_cast<double>(waited_));
  return out;
}

void RankProcess::add_problems(std::vector<Problem>& problems) const {
  problems.insert(problems.end(), problems_.begin(), problems_.end());
  if (host_.has_ended()) {
    for (const auto& [key, message] : unclaimed_)
      problems.push_back({Problem::Kind::not_received, CommunicationOp::send, rank_, 0, message.from,
                          message.position, 0, message.bytes});
    return;
  }
  const Slot* first = nullptr;
  for (const Slot& slot : slots_)
    if (slot.event != nullptr && slot.waits &&
        (first == nullptr ||
         std::pair(slot.posted, slot.position) < std::pair(first->posted, first->position)))
      first = &slot;
  assert(first != nullptr && "only others can hold a rank for ever");
  problems.push_back({Problem::Kind::never_ends, first->event->op, rank_, first->position,
                      timeline::is_collective(first->event->op) ? rank_ : first->event->peer, 0,
                      first->event->bytes, 0});
}

void RankProcess::add_loads(std::vector<LinkLoad>& loads) const {
  for (const std::uint32_t port : {Topology::to_peers, Topology::to_network})
    if (link_bytes_[port] > 0)
      loads.push_back({times_.topology.link({rank_, port}).kind,
                       static_cast<double>(link_busy_[port]) / picoseconds_per_us, link_bytes_[port]});
}

} // namespace kerncast::ranks
