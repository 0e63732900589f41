// A cluster as its file describes it: nodes of equal GPUs, the links between them, and what a message costs.
//
// Four kinds of links, each with a latency and a bandwidth in each direction: `peer` between a GPU and the
// switch of its node, `nic` between a GPU and its network card, `network` between a card and the network,
// `uplink` between the switches of a fat tree. Left out: nodes that differ, failures, adaptive routing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "configs/gpu.h"
#include "configs/loader.h"

namespace kerncast::configs {

// From where a link's bandwidth is taken.
enum class LinkRate : std::uint8_t { stated, nvlink, host_link };

struct Link {
  double latency_us = 0;
  double bandwidth_gbps = 0; // 1e9 bytes/s, in each direction
  LinkRate rate = LinkRate::stated;
};

enum class NetworkShape : std::uint8_t { single_switch, fat_tree, torus };

struct Cluster {
  std::string name;
  std::uint32_t nodes = 1;
  std::uint32_t gpus_per_node = 1;
  std::string gpu; // of the database, or a file
  Link peer;       // more than one GPU in a node
  Link nic;        // more than one node, as all below
  Link network;
  Link uplink; // of a fat tree
  NetworkShape shape = NetworkShape::single_switch;
  std::uint32_t nics_per_node = 1;
  std::uint32_t nodes_per_leaf = 1;         // of a fat tree
  std::uint32_t spines = 1;                 // likewise; each leaf has one uplink to each
  std::vector<std::uint32_t> dimensions;    // of a torus of nodes
  double switch_latency_us = 0;             // of a switch of the network, or of a node of a torus
  double software_us = 0;                   // of each message, at its sender
  std::optional<std::uint64_t> eager_bytes; // longer messages wait for their receiver
  std::vector<std::string> assumptions;     // values that the file marks as guesses

  std::uint32_t gpus() const { return nodes * gpus_per_node; }
};

inline constexpr std::uint32_t max_cluster_gpus = 65536;

// `name_or_file`: a name of the database (clusters/NAME.toml) or a path that ends in .toml. Every error.
Expected<Cluster> load_cluster(std::string_view name_or_file, const ConfigPath& path);

// With the bandwidths that are those of the GPU; fails where the GPU does not know them.
Expected<Cluster> with_links_of(Cluster cluster, const Gpu& gpu);

} // namespace kerncast::configs
