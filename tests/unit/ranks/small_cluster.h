// A cluster and programs whose times can be worked out in one's head: every link takes 1 us and moves 1000
// bytes per us, copies between host and GPU take 1 us and 1000 bytes per us, launches cost the host nothing.
#pragma once

#include <utility>
#include <vector>

#include "ranks/ranks.h"

namespace kerncast::ranks::test {

using timeline::CommunicationEvent;
using timeline::Event;
using timeline::KernelEvent;
using timeline::RankProgram;
using timeline::RankStep;

inline configs::Cluster cluster(std::uint32_t nodes, std::uint32_t gpus_per_node) {
  configs::Cluster cluster;
  cluster.nodes = nodes;
  cluster.gpus_per_node = gpus_per_node;
  cluster.peer = cluster.nic = cluster.network = cluster.uplink = {1, 1};
  return cluster;
}

inline configs::Gpu gpu() {
  configs::Gpu gpu;
  gpu.launch_overhead_us = 0;
  gpu.copy_engines = 2;
  gpu.host_link = {.bandwidth_gbps = 1, .latency_us = 1};
  return gpu;
}

// Each rank's events, one after the other.
inline RankProgram program(const std::vector<std::vector<Event>>& of_rank) {
  RankProgram program{static_cast<std::uint32_t>(of_rank.size()), {}, {}};
  for (std::uint32_t rank = 0; rank < of_rank.size(); ++rank)
    for (const Event& event : of_rank[rank]) {
      RankStep step{{static_cast<std::uint32_t>(program.steps.size() + 1), 1}, {event}, {}};
      step.of_rank.assign(of_rank.size(), RankStep::none);
      step.of_rank[rank] = 0;
      program.order.push_back(static_cast<std::uint32_t>(program.steps.size()));
      program.steps.push_back(std::move(step));
    }
  return program;
}

// The same event of all ranks.
inline RankStep all(Event event) { return {{1, 1}, {event}, {}}; }

inline CommunicationEvent send(std::uint32_t to, std::uint64_t bytes, std::uint32_t stream = 0) {
  return {.op = CommunicationOp::send, .peer = to, .bytes = bytes, .stream = stream};
}
inline CommunicationEvent receive(std::uint32_t from, std::uint64_t bytes, std::uint32_t stream = 0) {
  return {.op = CommunicationOp::receive, .peer = from, .bytes = bytes, .stream = stream};
}
inline CommunicationEvent collective(CommunicationOp op, std::uint64_t bytes,
                                     Algorithm algorithm = Algorithm::cheapest, std::uint32_t root = 0) {
  return {.op = op, .peer = root, .bytes = bytes, .algorithm = algorithm};
}

inline const std::vector<double> kernel_times_us = {10, 4};

inline RanksResult run(const RankProgram& program, const configs::Cluster& cluster) {
  return simulate_ranks({program, kernel_times_us, gpu(), cluster, 1000});
}

inline double end_us(const RanksResult& result) {
  double end = 0;
  for (const RankOutcome& rank : result.ranks)
    end = std::max(end, rank.statistics.end_us);
  return end;
}

} // namespace kerncast::ranks::test
