// The keys of a cluster file: one row each.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "configs/cluster.h"
#include "value.h"

namespace kerncast::configs {

enum class ClusterNeed : std::uint8_t {
  always,
  optional,
  several_gpus_in_a_node,
  several_nodes,
  fat_tree,
  torus
};

struct ClusterKey {
  std::string_view name;
  std::string_view form; // "a whole number from 1 to 65536", as messages say it
  ClusterNeed need = ClusterNeed::optional;
  std::function<bool(const Value&, Cluster&)> set; // whether the value has that form
};

std::span<const ClusterKey> cluster_keys();

} // namespace kerncast::configs
