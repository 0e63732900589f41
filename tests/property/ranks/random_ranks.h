// Random applications of ranks that end: in rounds, each rank computes and then sends to some of the others,
// which receive; now and then all meet.
#pragma once

#include <random>
#include <vector>

#include "ranks/ranks.h"

namespace kerncast::ranks::test {

using timeline::CommunicationEvent;
using timeline::Event;
using timeline::RankStep;

inline const std::vector<double> random_kernel_times_us = {0.7, 3, 11.25};

struct RandomRanks {
  explicit RandomRanks(std::uint64_t seed) : random(seed) {
    const std::uint32_t shape = below(3);
    cluster.gpus_per_node = 1 + below(4);
    cluster.nodes = 3 + below(5);
    cluster.nics_per_node = cluster.gpus_per_node % 2 == 0 && shape != 2 ? 2 : 1;
    cluster.shape = static_cast<configs::NetworkShape>(shape);
    cluster.nodes_per_leaf = 2;
    cluster.spines = 1 + below(3);
    cluster.dimensions.assign(1, cluster.nodes);
    for (configs::Link* link : {&cluster.peer, &cluster.nic, &cluster.network, &cluster.uplink}) {
      link->latency_us = 0.25 * (1 + below(8));
      link->bandwidth_gbps = 0.5 * (1 + below(8));
    }
    if (below(2) == 0)
      cluster.eager_bytes = 2000;
    gpu.launch_overhead_us = 0.5;
    gpu.copy_engines = 2;
    gpu.host_link = {.bandwidth_gbps = 2, .latency_us = 1};
    program.ranks = cluster.gpus() - below(2);
    for (int round = 0; round < 6; ++round)
      add_round();
  }

  RanksResult run(const pdes::Execution<RankMessage>& execution = {}) const {
    return simulate_ranks({program, random_kernel_times_us, gpu, cluster, 100}, execution);
  }

  std::mt19937_64 random;
  configs::Cluster cluster;
  configs::Gpu gpu;
  timeline::RankProgram program;
  std::uint64_t bytes = 0; // of all messages

private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); }

  void add(RankStep step) {
    program.order.push_back(static_cast<std::uint32_t>(program.steps.size()));
    program.steps.push_back(std::move(step));
  }

  RankStep of_each() const { return {{1, 1}, {}, std::vector<std::uint32_t>(program.ranks, RankStep::none)}; }

  static void put(RankStep& step, std::uint32_t rank, const Event& event) {
    step.of_rank[rank] = static_cast<std::uint32_t>(step.variants.size());
    step.variants.push_back(event);
  }

  void add_round() {
    RankStep kernels = of_each();
    for (std::uint32_t rank = 0; rank < program.ranks; ++rank)
      put(kernels, rank, timeline::KernelEvent{below(3), below(2), 1 + below(2)});
    add(std::move(kernels));
    const std::uint32_t distance = 1 + below(program.ranks - 1);
    // All on one stream: ranks would come to collectives of two streams in orders of their own.
    const std::uint32_t stream = 0;
    RankStep sends = of_each();
    RankStep receives = of_each();
    for (std::uint32_t rank = 0; rank < program.ranks; ++rank) {
      CommunicationEvent event{.bytes = below(4000), .stream = stream, .through_host = below(4) == 0};
      const std::uint32_t to = (rank + distance) % program.ranks;
      event.peer = to;
      put(sends, rank, event);
      bytes += event.bytes;
      event.op = CommunicationOp::receive;
      event.peer = rank;
      put(receives, to, event);
    }
    add({{1, 1}, {timeline::GroupEvent{true, stream}}, {}});
    add(std::move(sends));
    add(std::move(receives));
    add({{1, 1}, {timeline::GroupEvent{false, stream}}, {}});
    const auto op = static_cast<CommunicationOp>(2 + below(6));
    if (below(2) == 0)
      add({{1, 1},
           {CommunicationEvent{
               .op = op, .bytes = op == CommunicationOp::barrier ? 0 : below(9000), .stream = stream}},
           {}});
  }
};

} // namespace kerncast::ranks::test
