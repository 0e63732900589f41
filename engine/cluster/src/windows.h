// The windows of a simulation of logical processes on the threads and ranks of a job. Boost.MPI carries the
// events of a window as bytes, behind the time at which their sender goes on.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/nonblocking.hpp>

#include "cluster/cluster.h"
#include "parallel/team.h"
#include "pdes/simulation.h"

namespace kerncast::cluster {

inline constexpr int window_tag = 21;
// Of a rank and thread, so that those that are done early find more to do.
inline constexpr std::uint32_t parts_per_thread = 4;

template <class Payload> using EventsOf = std::vector<pdes::Event<Payload>>;

template <class Payload> std::vector<char> pack(const EventsOf<Payload>& events, pdes::Time next) {
  std::vector<char> bytes(sizeof next + events.size() * sizeof(pdes::Event<Payload>));
  std::memcpy(bytes.data(), &next, sizeof next);
  if (!events.empty())
    std::memcpy(bytes.data() + sizeof next, events.data(), bytes.size() - sizeof next);
  return bytes;
}

// Appends the events; returns the time before them.
template <class Payload> pdes::Time unpack(const std::vector<char>& bytes, EventsOf<Payload>& events) {
  pdes::Time next = 0;
  std::memcpy(&next, bytes.data(), sizeof next);
  const std::size_t before = events.size();
  const std::size_t count = (bytes.size() - sizeof next) / sizeof(pdes::Event<Payload>);
  events.resize(before + count);
  if (count > 0)
    std::memcpy(events.data() + before, bytes.data() + sizeof next, bytes.size() - sizeof next);
  return next;
}

template <class Payload>
EventsOf<Payload> exchange_window(const boost::mpi::communicator& world,
                                  std::vector<EventsOf<Payload>>& outgoing, pdes::Time& next) {
  std::vector<std::vector<char>> sent(outgoing.size());
  std::vector<boost::mpi::request> requests;
  const int ranks = world.size();
  for (int step = 1; step < ranks; ++step) {
    const int to = (world.rank() + step) % ranks;
    std::vector<char>& bytes = sent[static_cast<std::size_t>(to)] =
        pack<Payload>(outgoing[static_cast<std::size_t>(to)], next);
    requests.push_back(world.isend(to, window_tag, bytes.data(), static_cast<int>(bytes.size())));
  }
  EventsOf<Payload> received;
  std::vector<char> bytes;
  for (int step = 1; step < ranks; ++step) {
    const int from = (world.rank() + ranks - step) % ranks;
    const boost::mpi::status status = world.probe(from, window_tag);
    bytes.resize(static_cast<std::size_t>(*status.count<char>()));
    world.recv(from, window_tag, bytes.data(), static_cast<int>(bytes.size()));
    next = std::min(next, unpack<Payload>(bytes, received));
  }
  boost::mpi::wait_all(requests.begin(), requests.end());
  return received;
}

// `team` outlives it. With several ranks MPI has been joined.
template <class Payload> pdes::Execution<Payload> execution_on(const Cluster& cluster, parallel::Team& team) {
  const auto workers = static_cast<std::uint32_t>(team.threads());
  pdes::Execution<Payload> execution;
  execution.placement = {static_cast<std::uint32_t>(cluster.ranks()),
                         workers == 1 ? 1 : workers * parts_per_thread};
  execution.rank = static_cast<std::uint32_t>(cluster.rank());
  execution.for_each = [&team](std::size_t count, const auto& task) { team.for_each(count, task); };
  if (cluster.ranks() > 1)
    execution.exchange = [](std::vector<EventsOf<Payload>>& outgoing, pdes::Time& next) {
      const boost::mpi::communicator world;
      return exchange_window<Payload>(world, outgoing, next);
    };
  return execution;
}

} // namespace kerncast::cluster
