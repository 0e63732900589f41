// Reading a cluster file: unknown, missing, useless and contradicting keys are errors at their places.
#include "configs/cluster.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "cluster_keys.h"
#include "document.h"
#include "names.h"
#include "support/suggest.h"

namespace kerncast::configs {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> cluster_folders(const ConfigPath& path) {
  std::vector<fs::path> folders;
  for (const fs::path& root : path.folders())
    folders.push_back(root / "clusters");
  return folders;
}

Expected<fs::path> locate_cluster(std::string_view name_or_file, const ConfigPath& path) {
  if (name_or_file.ends_with(".toml"))
    return fs::path(name_or_file);
  if (is_name(name_or_file))
    if (auto file = find_file(name_or_file, cluster_folders(path)))
      return std::move(*file);
  const std::string near = suggestion(name_or_file, names_in(cluster_folders(path)));
  return fail(fmt::format("unknown cluster '{}'", name_or_file),
              near.empty()
                  ? "a name stands for clusters/NAME.toml of the database; a file's name must end in .toml"
                  : near);
}

class ClusterReader {
public:
  explicit ClusterReader(const Document& document) : document_(document) {}

  Expected<Cluster> run() {
    cluster_.name = fs::path(document_.source->name()).stem().string();
    if (document_.inherits)
      errors_.push_back(error_at_key(document_.inherits->origin, "a cluster file inherits from no other",
                                     {"state all keys in one file"}));
    for (const Entry& entry : document_.entries)
      read(entry);
    for (const ClusterKey& key : cluster_keys())
      check_need(key);
    if (errors_.empty())
      check_extents();
    if (!errors_.empty())
      return tl::unexpected(std::move(errors_));
    return std::move(cluster_);
  }

private:
  const Entry* find(std::string_view name) const {
    const auto& entries = document_.entries;
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == name; });
    return found == entries.end() ? nullptr : &*found;
  }

  void read(const Entry& entry) {
    const auto keys = cluster_keys();
    const auto key =
        std::find_if(keys.begin(), keys.end(), [&](const ClusterKey& k) { return k.name == entry.key; });
    if (key == keys.end())
      return refuse_unknown(entry);
    if (!key->set(entry.value, cluster_))
      errors_.push_back(error_at_value(
          entry.origin, fmt::format("{} must be {}, not {}", key->name, key->form, to_text(entry.value)),
          {"docs/clusters.md describes the keys"}));
    else if (entry.basis.evidence == Evidence::guess)
      cluster_.assumptions.push_back(fmt::format("{} of cluster {} is a guess: {} ({})", entry.key,
                                                 cluster_.name, to_text(entry.value), entry.basis.source));
  }

  void refuse_unknown(const Entry& entry) {
    std::vector<std::string_view> names;
    for (const ClusterKey& known : cluster_keys())
      names.push_back(known.name);
    const std::string near = nearest(entry.key, names);
    errors_.push_back(error_at_key(
        entry.origin, fmt::format("unknown key '{}' of a cluster", entry.key),
        {near.empty() ? "docs/clusters.md describes the keys" : fmt::format("did you mean '{}'?", near)}));
  }

  bool applies(ClusterNeed need) const {
    switch (need) {
    case ClusterNeed::always:
    case ClusterNeed::optional:
      return true;
    case ClusterNeed::several_gpus_in_a_node:
      return cluster_.gpus_per_node > 1;
    case ClusterNeed::several_nodes:
      return cluster_.nodes > 1;
    case ClusterNeed::fat_tree:
      return cluster_.nodes > 1 && cluster_.shape == NetworkShape::fat_tree;
    case ClusterNeed::torus:
      return cluster_.nodes > 1 && cluster_.shape == NetworkShape::torus;
    }
    return true;
  }

  // A link between the nodes of a single node, say, would be silently ignored.
  void check_need(const ClusterKey& key) {
    const Entry* entry = find(key.name);
    if (entry == nullptr && key.need != ClusterNeed::optional && applies(key.need))
      errors_.push_back(document_.source->error({}, 1, fmt::format("{} is missing", key.name),
                                                {fmt::format("state {}: {}", key.name, key.form)}));
    if (entry != nullptr && !applies(key.need))
      errors_.push_back(
          error_at_key(entry->origin, fmt::format("{} has no meaning here", key.name),
                       {"leave it out: the nodes, GPUs and topology of this cluster do not use it"}));
  }

  void contradict(std::string_view key, std::string message) {
    errors_.push_back(error_at_value(find(key)->origin, std::move(message), {"make them agree"}));
  }

  void check_extents() {
    if (std::uint64_t{cluster_.nodes} * cluster_.gpus_per_node > max_cluster_gpus)
      contradict("nodes", fmt::format("{} nodes of {} GPUs are more than {} GPUs", cluster_.nodes,
                                      cluster_.gpus_per_node, max_cluster_gpus));
    if (cluster_.nodes > 1 && cluster_.gpus_per_node % cluster_.nics_per_node != 0)
      contradict("network.nics_per_node", fmt::format("{} GPUs cannot share {} network cards evenly",
                                                      cluster_.gpus_per_node, cluster_.nics_per_node));
    const std::uint64_t in_torus =
        std::accumulate(cluster_.dimensions.begin(), cluster_.dimensions.end(), std::uint64_t{1},
                        [](std::uint64_t product, std::uint32_t extent) {
                          return std::min<std::uint64_t>(product * extent, UINT32_MAX);
                        });
    if (applies(ClusterNeed::torus) && in_torus != cluster_.nodes)
      contradict("network.dimensions",
                 fmt::format("a torus of {} nodes, but nodes = {}", in_torus, cluster_.nodes));
    if (applies(ClusterNeed::torus) && cluster_.nics_per_node != 1)
      contradict("network.nics_per_node", "a node of a torus has one network card with all its links");
  }

  const Document& document_;
  Cluster cluster_;
  Diagnostics errors_;
};

// 0: the GPU does not know it.
double rate_of(const Link& link, const Gpu& gpu) {
  switch (link.rate) {
  case LinkRate::stated:
    return link.bandwidth_gbps;
  case LinkRate::nvlink:
    return gpu.nvlink.bandwidth_gbps();
  case LinkRate::host_link:
    return gpu.host_link.bandwidth_gbps;
  }
  return 0;
}

} // namespace

Expected<Cluster> load_cluster(std::string_view name_or_file, const ConfigPath& path) {
  return locate_cluster(name_or_file, path)
      .and_then([](const fs::path& file) { return read_document(file); })
      .and_then([](const Document& document) { return ClusterReader(document).run(); });
}

Expected<Cluster> with_links_of(Cluster cluster, const Gpu& gpu) {
  for (Link Cluster::*link : {&Cluster::peer, &Cluster::nic, &Cluster::network, &Cluster::uplink}) {
    Link& one = cluster.*link;
    one.bandwidth_gbps = rate_of(one, gpu);
    if (one.rate != LinkRate::stated && one.bandwidth_gbps <= 0)
      return fail(
          fmt::format("a link of cluster {} is as fast as the NVLink of {}, which has none or does not know",
                      cluster.name, gpu.name),
          "state its bandwidth_gbps as a number, or nvlink.links and nvlink.link_bandwidth_gbps of the GPU");
    one.rate = LinkRate::stated;
  }
  return cluster;
}

} // namespace kerncast::configs
