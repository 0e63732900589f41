// Boost.MPI carries the events of a window as bytes, behind the time at which their sender goes on.
#include "cluster/gpu.h"

#include <algorithm>
#include <cstring>

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/nonblocking.hpp>

#include "parallel/team.h"
#include "serialize.h"

namespace kerncast::cluster {
namespace {

using pdes::GpuMessage;
using pdes::GpuResult;
using pdes::Time;
using Events = std::vector<pdes::Event<GpuMessage>>;
using Bytes = std::vector<char>;

constexpr int window_tag = 21;
// Of a rank and thread, so that those that are done early find more to do.
constexpr std::uint32_t parts_per_thread = 4;

Bytes pack(const Events& events, Time next) {
  Bytes bytes(sizeof next + events.size() * sizeof(Events::value_type));
  std::memcpy(bytes.data(), &next, sizeof next);
  if (!events.empty())
    std::memcpy(bytes.data() + sizeof next, events.data(), bytes.size() - sizeof next);
  return bytes;
}

// Appends the events; returns the time before them.
Time unpack(const Bytes& bytes, Events& events) {
  Time next = 0;
  std::memcpy(&next, bytes.data(), sizeof next);
  const std::size_t before = events.size();
  const std::size_t count = (bytes.size() - sizeof next) / sizeof(Events::value_type);
  events.resize(before + count);
  if (count > 0)
    std::memcpy(events.data() + before, bytes.data() + sizeof next, bytes.size() - sizeof next);
  return next;
}

Events exchange(const boost::mpi::communicator& world, std::vector<Events>& outgoing, Time& next) {
  std::vector<Bytes> sent(outgoing.size());
  std::vector<boost::mpi::request> requests;
  const int ranks = world.size();
  for (int step = 1; step < ranks; ++step) {
    const int to = (world.rank() + step) % ranks;
    Bytes& bytes = sent[static_cast<std::size_t>(to)] = pack(outgoing[static_cast<std::size_t>(to)], next);
    requests.push_back(world.isend(to, window_tag, bytes.data(), static_cast<int>(bytes.size())));
  }
  Events received;
  Bytes bytes;
  for (int step = 1; step < ranks; ++step) {
    const int from = (world.rank() + ranks - step) % ranks;
    const boost::mpi::status status = world.probe(from, window_tag);
    bytes.resize(static_cast<std::size_t>(*status.count<char>()));
    world.recv(from, window_tag, bytes.data(), static_cast<int>(bytes.size()));
    next = std::min(next, unpack(bytes, received));
  }
  boost::mpi::wait_all(requests.begin(), requests.end());
  return received;
}

// Every process from the rank that has it.
GpuResult merge(const std::vector<GpuResult>& of_rank, const pdes::GpuSurroundings& gpu) {
  const auto ranks = static_cast<std::uint32_t>(of_rank.size());
  const pdes::Placement placement{ranks, 1};
  GpuResult all;
  for (std::uint32_t i = 0; i < gpu.sms; ++i) {
    all.sms.push_back(of_rank[placement.rank_of(i)].sms[i]);
    all.ctas.push_back(of_rank[placement.rank_of(i)].ctas[i]);
  }
  for (std::uint32_t i = 0; i < gpu.slices; ++i)
    all.slices.push_back(of_rank[placement.rank_of(gpu.sms + i)].slices[i]);
  for (const GpuResult& one : of_rank) {
    all.cycles = std::max(all.cycles, one.cycles);
    all.statistics.add(one.statistics);
  }
  return all;
}

} // namespace

GpuResult simulate_gpu(const Cluster& cluster, const pdes::GpuWorkload& workload, std::size_t threads) {
  parallel::Team team(threads);
  const auto workers = static_cast<std::uint32_t>(team.threads());
  pdes::Execution<GpuMessage> execution;
  execution.placement = {static_cast<std::uint32_t>(cluster.ranks()),
                         workers == 1 ? 1 : workers * parts_per_thread};
  execution.rank = static_cast<std::uint32_t>(cluster.rank());
  execution.for_each = [&team](std::size_t count, const auto& task) { team.for_each(count, task); };
  if (cluster.ranks() == 1)
    return pdes::simulate_gpu(workload, execution);
  const boost::mpi::communicator world;
  execution.exchange = [&world](std::vector<Events>& outgoing, Time& next) {
    return exchange(world, outgoing, next);
  };
  const GpuResult mine = pdes::simulate_gpu(workload, execution);
  std::vector<GpuResult> all;
  boost::mpi::gather(world, mine, all, 0);
  return cluster.is_root() ? merge(all, workload.surroundings) : GpuResult{};
}

} // namespace kerncast::cluster
