#include "ranks/topology.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace kerncast::ranks {

using configs::NetworkShape;

Picoseconds to_picoseconds(double us) { return std::llround(us * picoseconds_per_us); }

Picoseconds LinkCost::service(std::uint64_t bytes) const {
  return std::llround(static_cast<double>(bytes) * ps_per_byte);
}

Topology::Topology(const configs::Cluster& cluster, std::uint32_t ranks) : cluster_(cluster), ranks_(ranks) {
  assert(ranks >= 1 && ranks <= cluster.gpus() && "every rank has a GPU");
  const bool has_switches = cluster.nodes > 1 && cluster.shape != NetworkShape::torus;
  const bool is_tree = has_switches && cluster.shape == NetworkShape::fat_tree;
  nodes_per_leaf_ = is_tree ? cluster.nodes_per_leaf : cluster.nodes;
  leaves_ = has_switches ? (cluster.nodes + nodes_per_leaf_ - 1) / nodes_per_leaf_ : 0;
  spines_ = is_tree ? cluster.spines : 0;
  first_leaf_ = ranks + cluster.nodes;
  first_spine_ = first_leaf_ + leaves_;
  software_ = to_picoseconds(cluster.software_us);
}

std::uint32_t Topology::card_of(std::uint32_t rank) const {
  return rank % cluster_.gpus_per_node * cluster_.nics_per_node / cluster_.gpus_per_node;
}

// The ports of a node: a peer link to each GPU, a link from a card to each GPU, links into the network.
void Topology::find_route(std::uint32_t from, std::uint32_t to, Route& route) const {
  assert(from != to && from < ranks_ && to < ranks_ && "between two ranks");
  const std::uint32_t gpus = cluster_.gpus_per_node;
  const std::uint32_t target = node_of(to);
  route.clear();
  if (node_of(from) == target) {
    route.push_back({from, to_peers});
    route.push_back({node(target), to % gpus});
    return;
  }
  route.push_back({from, to_network});
  if (leaves_ == 0)
    add_torus_hops(node_of(from), target, route);
  else
    add_tree_hops(from, to, route);
  route.push_back({node(target), gpus + to % gpus});
}

void Topology::add_torus_hops(std::uint32_t from, std::uint32_t to, Route& route) const {
  std::uint32_t stride = 1; // between neighbours of the dimension
  std::uint32_t at = from;
  for (std::uint32_t d = 0; d < cluster_.dimensions.size(); ++d) {
    const std::uint32_t extent = cluster_.dimensions[d];
    std::uint32_t place = at / stride % extent;
    const std::uint32_t goal = to / stride % extent;
    const std::uint32_t ahead = (goal + extent - place) % extent;
    const bool forward = ahead <= extent - ahead;
    while (place != goal) {
      route.push_back({node(at), 2 * cluster_.gpus_per_node + 2 * d + (forward ? 0 : 1)});
      const std::uint32_t next = forward ? (place + 1) % extent : (place + extent - 1) % extent;
      at = at - place * stride + next * stride;
      place = next;
    }
    stride *= extent;
  }
}

// The ports of a leaf: a link to each card below it, then one to each spine.
void Topology::add_tree_hops(std::uint32_t from, std::uint32_t to, Route& route) const {
  const std::uint32_t cards = cluster_.nics_per_node;
  const std::uint32_t target = node_of(to);
  const std::uint32_t up = node_of(from) / nodes_per_leaf_;
  const std::uint32_t down = target / nodes_per_leaf_;
  route.push_back({node(node_of(from)), 2 * cluster_.gpus_per_node + card_of(from)});
  if (up != down) {
    const std::uint32_t spine = (target * cards + card_of(to)) % spines_;
    route.push_back({leaf(up), nodes_per_leaf_ * cards + spine});
    route.push_back({first_spine_ + spine, down});
  }
  route.push_back({leaf(down), target % nodes_per_leaf_ * cards + card_of(to)});
}

LinkCost Topology::cost(LinkKind kind, bool leaves_switch) const {
  constexpr double ps_per_byte_at_one_gbps = 1e3;
  const configs::Link* const links[] = {&cluster_.peer, &cluster_.nic, &cluster_.network, &cluster_.uplink};
  const configs::Link& link = *links[static_cast<std::size_t>(kind)];
  const double latency_us = link.latency_us + (leaves_switch ? cluster_.switch_latency_us : 0);
  return {kind, to_picoseconds(latency_us), ps_per_byte_at_one_gbps / link.bandwidth_gbps};
}

LinkCost Topology::link(Hop hop) const {
  const std::uint32_t gpus = cluster_.gpus_per_node;
  if (is_rank(hop.vertex))
    return cost(hop.port == to_peers ? LinkKind::peer : LinkKind::nic, false);
  if (hop.vertex >= first_spine_)
    return cost(LinkKind::uplink, true);
  if (hop.vertex >= first_leaf_)
    return cost(hop.port < nodes_per_leaf_ * cluster_.nics_per_node ? LinkKind::network : LinkKind::uplink,
                true);
  if (hop.port < 2 * gpus)
    return cost(hop.port < gpus ? LinkKind::peer : LinkKind::nic, false);
  return cost(LinkKind::network, leaves_ == 0);
}

std::uint32_t Topology::ports(Vertex vertex) const {
  if (is_rank(vertex))
    return 2;
  if (vertex >= first_spine_)
    return leaves_;
  if (vertex >= first_leaf_)
    return nodes_per_leaf_ * cluster_.nics_per_node + spines_;
  const auto into_network =
      leaves_ == 0 ? 2 * static_cast<std::uint32_t>(cluster_.dimensions.size()) : cluster_.nics_per_node;
  return 2 * cluster_.gpus_per_node + into_network;
}

Picoseconds Topology::latency(const Route& route) const {
  Picoseconds sum = software_;
  for (const Hop hop : route)
    sum += link(hop).latency;
  return sum;
}

// Half of the fastest link's latency: who joins a collective tells its coordinator that much later, and the
// coordinator needs as long again to answer.
Picoseconds Topology::lookahead() const {
  Picoseconds least = to_picoseconds(1);
  const auto bound = [&](LinkKind kind) { least = std::min(least, cost(kind, false).latency); };
  if (cluster_.gpus_per_node > 1)
    bound(LinkKind::peer);
  if (cluster_.nodes > 1) {
    bound(LinkKind::nic);
    bound(LinkKind::network);
  }
  if (spines_ > 0)
    bound(LinkKind::uplink);
  return std::max<Picoseconds>(1, least / 2);
}

} // namespace kerncast::ranks
