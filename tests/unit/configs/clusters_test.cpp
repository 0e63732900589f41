// Cluster files: the shipped ones load, and what a file says wrongly is told at its place.
#include <gtest/gtest.h>

#include "configs/cluster.h"
#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

const std::string two_nodes = R"(nodes = 2
gpus_per_node = 1
gpu = "unit"
[links.nic]
latency_us = 1
bandwidth_gbps = "host_link"
[links.network]
latency_us = 1.5 # guess: half of a round trip
bandwidth_gbps = 12
[network]
topology = "switch"
nics_per_node = 1
switch_latency_us = 0.1
[messages]
software_us = 0.5
)";

Expected<Cluster> load(std::string text, const std::string& from = "", const std::string& to = "") {
  if (const std::size_t at = text.find(from); !from.empty() && at != std::string::npos)
    text.replace(at, from.size(), to);
  const Sandbox sandbox;
  return load_cluster(sandbox.write("two.toml", text).string(), ConfigPath({shipped}));
}

std::string error(const std::string& from, const std::string& to) {
  const Expected<Cluster> cluster = load(two_nodes, from, to);
  return cluster ? "" : render(cluster.error());
}

TEST(Clusters, ThatAreShippedLoad) {
  for (const char* name : {"unit", "dgx-a100"}) {
    const Expected<Cluster> cluster = load_cluster(name, ConfigPath({shipped}));
    ASSERT_TRUE(cluster) << render(cluster.error());
    EXPECT_TRUE(with_links_of(*cluster, shipped_gpu(cluster->gpu)));
  }
}

TEST(Clusters, TakeBandwidthsOfTheirGpu) {
  const Expected<Cluster> cluster = load(two_nodes);
  ASSERT_TRUE(cluster) << render(cluster.error());
  Gpu gpu;
  gpu.name = "g";
  gpu.host_link.bandwidth_gbps = 24;
  EXPECT_EQ(with_links_of(*cluster, gpu)->nic.bandwidth_gbps, 24);
  EXPECT_EQ(with_links_of(*cluster, gpu)->network.bandwidth_gbps, 12);
  const Expected<Cluster> nvlink = load(two_nodes, "\"host_link\"", "\"nvlink\"");
  EXPECT_NE(render(with_links_of(*nvlink, gpu).error()).find("NVLink of g"), std::string::npos);
}

TEST(Clusters, NameTheirGuesses) {
  const Expected<Cluster> cluster = load(two_nodes);
  ASSERT_EQ(cluster->assumptions.size(), 1);
  EXPECT_EQ(cluster->assumptions[0],
            "links.network.latency_us of cluster two is a guess: 1.5 (half of a round trip)");
}

TEST(Clusters, AreRefusedAtTheirPlace) {
  EXPECT_NE(error("nodes = 2", "node = 2").find("two.toml:1:1: error: unknown key 'node'"),
            std::string::npos);
  EXPECT_NE(error("nodes = 2", "node = 2").find("did you mean 'nodes'?"), std::string::npos);
  EXPECT_NE(error("nodes = 2", "nodes = 0").find("nodes must be a whole number"), std::string::npos);
  EXPECT_NE(error("bandwidth_gbps = 12", "").find("links.network.bandwidth_gbps is missing"),
            std::string::npos);
  EXPECT_NE(error("\"switch\"", "\"star\"").find("network.topology must be"), std::string::npos);
  EXPECT_NE(error("\"switch\"", "\"switch\"\nspines = 2").find("network.spines has no meaning here"),
            std::string::npos);
  EXPECT_NE(error("\"switch\"", "\"torus\"\ndimensions = \"3x3\"").find("a torus of 9 nodes, but nodes = 2"),
            std::string::npos);
  const std::string of_pairs = two_nodes + "[links.peer]\nlatency_us = 1\nbandwidth_gbps = 1\n";
  const Expected<Cluster> large =
      load(of_pairs, "nodes = 2\ngpus_per_node = 1", "nodes = 40000\ngpus_per_node = 2");
  EXPECT_NE(render(large.error()).find("40000 nodes of 2 GPUs are more than 65536 GPUs"), std::string::npos);
  EXPECT_NE(error("nics_per_node = 1", "nics_per_node = 2").find("cannot share"), std::string::npos);
  EXPECT_NE(error("nodes = 2", "inherits = \"x\"\nnodes = 2").find("inherits from no other"),
            std::string::npos);
}

TEST(Clusters, ThatAreUnknownAreSuggested) {
  const Expected<Cluster> cluster = load_cluster("dgx-a10", ConfigPath({shipped}));
  EXPECT_NE(render(cluster.error()).find("did you mean 'dgx-a100'?"), std::string::npos);
}

} // namespace
} // namespace kerncast::configs::test
