#include "cluster_keys.h"

#include <charconv>
#include <cmath>

namespace kerncast::configs {
namespace {

using Need = ClusterNeed;
using Set = std::function<bool(const Value&, Cluster&)>;

constexpr double least_latency_us = 0.001;
constexpr double most_latency_us = 1e6;
constexpr double least_gbps = 0.001;
constexpr double most_gbps = 1e5;
constexpr double most_bytes = 1e15;

bool in_bounds(const Value& value, double least, double most) {
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && *number >= least && *number <= most;
}

Set count(std::uint32_t Cluster::*member) {
  return [member](const Value& value, Cluster& cluster) {
    if (!in_bounds(value, 1, max_cluster_gpus) ||
        std::get<double>(value) != std::floor(std::get<double>(value)))
      return false;
    cluster.*member = static_cast<std::uint32_t>(std::get<double>(value));
    return true;
  };
}

Set time(double Cluster::*member) {
  return [member](const Value& value, Cluster& cluster) {
    const bool fits = in_bounds(value, 0, most_latency_us);
    cluster.*member = fits ? std::get<double>(value) : 0;
    return fits;
  };
}

Set latency(Link Cluster::*link) {
  return [link](const Value& value, Cluster& cluster) {
    const bool fits = in_bounds(value, least_latency_us, most_latency_us);
    (cluster.*link).latency_us = fits ? std::get<double>(value) : least_latency_us;
    return fits;
  };
}

Set bandwidth(Link Cluster::*link) {
  return [link](const Value& value, Cluster& cluster) {
    Link& into = cluster.*link;
    if (const auto* word = std::get_if<std::string>(&value)) {
      into.rate = *word == "nvlink" ? LinkRate::nvlink : LinkRate::host_link;
      return *word == "nvlink" || *word == "host_link";
    }
    const bool fits = in_bounds(value, least_gbps, most_gbps);
    into.bandwidth_gbps = fits ? std::get<double>(value) : 1;
    return fits;
  };
}

bool set_gpu(const Value& value, Cluster& cluster) {
  const auto* text = std::get_if<std::string>(&value);
  cluster.gpu = text != nullptr ? *text : "";
  return !cluster.gpu.empty();
}

struct ShapeName {
  std::string_view name;
  NetworkShape shape;
};
constexpr ShapeName shapes[] = {{"switch", NetworkShape::single_switch},
                                {"fat-tree", NetworkShape::fat_tree},
                                {"torus", NetworkShape::torus}};

bool set_shape(const Value& value, Cluster& cluster) {
  const auto* text = std::get_if<std::string>(&value);
  for (const ShapeName& known : shapes)
    if (text != nullptr && *text == known.name) {
      cluster.shape = known.shape;
      return true;
    }
  return false;
}

// "4x4x2"
bool set_dimensions(const Value& value, Cluster& cluster) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr)
    return false;
  const char* next = text->data();
  const char* const end = next + text->size();
  while (true) {
    std::uint32_t extent = 0;
    const auto [after, failure] = std::from_chars(next, end, extent);
    if (failure != std::errc{} || extent < 1 || extent > max_cluster_gpus)
      return false;
    cluster.dimensions.push_back(extent);
    if (after == end)
      return cluster.dimensions.size() <= 6;
    if (*after != 'x')
      return false;
    next = after + 1;
  }
}

bool set_eager_bytes(const Value& value, Cluster& cluster) {
  if (!in_bounds(value, 0, most_bytes))
    return false;
  cluster.eager_bytes = static_cast<std::uint64_t>(std::get<double>(value));
  return true;
}

constexpr std::string_view a_count = "a whole number from 1 to 65536";
constexpr std::string_view a_latency = "microseconds from 0.001 to 1000000";
constexpr std::string_view a_time = "microseconds from 0 to 1000000";
constexpr std::string_view a_rate = "1e9 bytes/s from 0.001 to 100000, \"nvlink\" or \"host_link\"";

} // namespace

std::span<const ClusterKey> cluster_keys() {
  static const ClusterKey keys[] = {
      {"nodes", a_count, Need::always, count(&Cluster::nodes)},
      {"gpus_per_node", a_count, Need::always, count(&Cluster::gpus_per_node)},
      {"gpu", "a GPU of the database or a file in quotes", Need::always, set_gpu},
      {"links.peer.latency_us", a_latency, Need::several_gpus_in_a_node, latency(&Cluster::peer)},
      {"links.peer.bandwidth_gbps", a_rate, Need::several_gpus_in_a_node, bandwidth(&Cluster::peer)},
      {"links.nic.latency_us", a_latency, Need::several_nodes, latency(&Cluster::nic)},
      {"links.nic.bandwidth_gbps", a_rate, Need::several_nodes, bandwidth(&Cluster::nic)},
      {"links.network.latency_us", a_latency, Need::several_nodes, latency(&Cluster::network)},
      {"links.network.bandwidth_gbps", a_rate, Need::several_nodes, bandwidth(&Cluster::network)},
      {"links.uplink.latency_us", a_latency, Need::fat_tree, latency(&Cluster::uplink)},
      {"links.uplink.bandwidth_gbps", a_rate, Need::fat_tree, bandwidth(&Cluster::uplink)},
      {"network.topology", "\"switch\", \"fat-tree\" or \"torus\"", Need::several_nodes, set_shape},
      {"network.nics_per_node", a_count, Need::several_nodes, count(&Cluster::nics_per_node)},
      {"network.switch_latency_us", a_time, Need::several_nodes, time(&Cluster::switch_latency_us)},
      {"network.nodes_per_leaf", a_count, Need::fat_tree, count(&Cluster::nodes_per_leaf)},
      {"network.spines", a_count, Need::fat_tree, count(&Cluster::spines)},
      {"network.dimensions", "up to six whole numbers, \"4x4x2\"", Need::torus, set_dimensions},
      {"messages.software_us", a_time, Need::always, time(&Cluster::software_us)},
      {"messages.eager_bytes", "bytes from 0 to 1e15", Need::optional, set_eager_bytes}};
  return keys;
}

} // namespace kerncast::configs
