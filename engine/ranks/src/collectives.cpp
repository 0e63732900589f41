#include "ranks/collectives.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace kerncast::ranks {

std::string_view name(CommunicationOp op) {
  constexpr std::string_view names[] = {"send",           "recv",       "broadcast",  "all_reduce",
                                        "reduce_scatter", "all_gather", "all_to_all", "barrier"};
  return names[static_cast<std::size_t>(op)];
}

std::string_view name(Algorithm algorithm) {
  constexpr std::string_view names[] = {"cheapest",          "ring",          "recursive-doubling",
                                        "recursive-halving", "binomial-tree", "scatter-all-gather",
                                        "pairwise",          "bruck",         "dissemination"};
  return names[static_cast<std::size_t>(algorithm)];
}

CollectiveCosts::CollectiveCosts(const Topology& topology) : topology_(topology) {
  std::uint32_t links = 0;
  for (Vertex v = 0; v < topology.vertices(); ++v) {
    first_link_.push_back(links);
    links += topology.ports(v);
  }
  flows_.resize(links);
}

CollectiveCost CollectiveCosts::cost(CommunicationOp op, Algorithm wanted, std::uint64_t bytes,
                                     std::uint32_t root) {
  const auto [found, is_new] = known_.try_emplace({op, wanted, bytes, root});
  if (!is_new)
    return found->second;
  CollectiveCost best{wanted, 0};
  if (wanted != Algorithm::cheapest) {
    best.time = time(op, wanted, bytes, root);
    return found->second = best;
  }
  for (const Algorithm algorithm : algorithms(op, topology_.ranks())) {
    const Picoseconds taken = time(op, algorithm, bytes, root);
    if (best.algorithm == Algorithm::cheapest || taken < best.time)
      best = {algorithm, taken};
  }
  return found->second = best;
}

Picoseconds CollectiveCosts::time(CommunicationOp op, Algorithm algorithm, std::uint64_t bytes,
                                  std::uint32_t root) {
  Picoseconds sum = 0;
  for (const ExchangeStep& step : steps_of(op, algorithm, topology_.ranks(), root))
    sum += static_cast<Picoseconds>(step.times) * time(step, step.share * static_cast<double>(bytes));
  return sum;
}

Picoseconds CollectiveCosts::time(const ExchangeStep& step, double bytes) {
  const auto link_of = [&](Hop hop) { return first_link_[hop.vertex] + hop.port; };
  Route route;
  for (const auto& [from, to] : step.messages) {
    topology_.find_route(from, to, route);
    for (const Hop hop : route)
      ++flows_[link_of(hop)];
  }
  Picoseconds slowest = 0;
  for (const auto& [from, to] : step.messages) {
    topology_.find_route(from, to, route);
    double ps_per_byte = 0;
    for (const Hop hop : route)
      ps_per_byte = std::max(ps_per_byte, flows_[link_of(hop)] * topology_.link(hop).ps_per_byte);
    const Picoseconds moved = std::llround(bytes * ps_per_byte);
    slowest = std::max(slowest, topology_.latency(route) + moved);
  }
  for (const auto& [from, to] : step.messages) {
    topology_.find_route(from, to, route);
    for (const Hop hop : route)
      flows_[link_of(hop)] = 0;
  }
  return slowest;
}

} // namespace kerncast::ranks
