// Where messages between the GPUs of a cluster go.
//
// Vertices are GPUs, nodes (with their inner switch and their network cards) and switches; each has the links
// that leave it. Rank r runs on GPU r, node after node. Within a node a message takes the GPU's peer link to
// the node's switch and that of the other GPU from there. Between nodes it goes from the GPU to its network
// card, through the network, and from a card to the other GPU: through one switch; through a fat tree of two
// levels, up to the spine that the receiving card's number chooses; through a torus, one dimension after the
// other, the shorter way round. Left out: adaptive routing, several ways at once, flow control.
#pragma once

#include <cstdint>
#include <vector>

#include "configs/cluster.h"
#include "pdes/event.h"

namespace kerncast::ranks {

using Picoseconds = pdes::Time;
inline constexpr double picoseconds_per_us = 1e6;
Picoseconds to_picoseconds(double us);

using Vertex = std::uint32_t;

struct Hop {
  Vertex vertex = 0;      // whose link it is
  std::uint32_t port = 0; // which of them
};
using Route = std::vector<Hop>;

enum class LinkKind : std::uint8_t { peer, nic, network, uplink };

struct LinkCost {
  LinkKind kind = LinkKind::peer;
  Picoseconds latency = 0; // with that of the switch it leaves
  double ps_per_byte = 0;

  Picoseconds service(std::uint64_t bytes) const;
};

class Topology {
public:
  // Links have numbers as bandwidths (configs::with_links_of); no more ranks than GPUs.
  Topology(const configs::Cluster& cluster, std::uint32_t ranks);

  std::uint32_t ranks() const { return ranks_; }
  bool is_rank(Vertex vertex) const { return vertex < ranks_; }
  Vertex vertices() const { return first_spine_ + spines_; }
  std::uint32_t node_of(std::uint32_t rank) const { return rank / cluster_.gpus_per_node; }

  // Ports of a GPU.
  static constexpr std::uint32_t to_peers = 0;
  static constexpr std::uint32_t to_network = 1;

  // From one rank to another. The first hop is a link of the sending GPU, and there is a second one.
  void find_route(std::uint32_t from, std::uint32_t to, Route& route) const;
  LinkCost link(Hop hop) const;
  std::uint32_t ports(Vertex vertex) const;
  // What a message of no bytes takes, with what its sender's software does.
  Picoseconds latency(const Route& route) const;
  Picoseconds software() const { return software_; }
  // No event of one vertex takes effect at another any sooner.
  Picoseconds lookahead() const;

private:
  Vertex node(std::uint32_t number) const { return ranks_ + number; }
  Vertex leaf(std::uint32_t number) const { return first_leaf_ + number; }
  std::uint32_t card_of(std::uint32_t rank) const;
  void add_torus_hops(std::uint32_t from, std::uint32_t to, Route& route) const;
  void add_tree_hops(std::uint32_t from, std::uint32_t to, Route& route) const;
  LinkCost cost(LinkKind kind, bool leaves_switch) const;

  configs::Cluster cluster_;
  std::uint32_t ranks_;
  std::uint32_t leaves_ = 0; // a single switch is one leaf
  std::uint32_t nodes_per_leaf_ = 1;
  std::uint32_t spines_ = 0;
  Vertex first_leaf_ = 0;
  Vertex first_spine_ = 0;
  Picoseconds software_ = 0;
};

} // namespace kerncast::ranks
