// Claim: the launches of rodinia/bfs give every node its distance from the source.
#include <deque>

#include "workload.h"

namespace kerncast::functional_test::bfs_test {
namespace {

constexpr std::size_t nodes = 700;

struct Graph {
  std::vector<std::int32_t> first_and_count; // two per node
  std::vector<std::int32_t> neighbours;
};

// 0 to 4 edges per node.
Graph random_graph() {
  Graph graph;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const auto edges = static_cast<std::int32_t>(scrambled(n) % 5);
    graph.first_and_count.push_back(static_cast<std::int32_t>(graph.neighbours.size()));
    graph.first_and_count.push_back(edges);
    for (std::int32_t e = 0; e < edges; ++e)
      graph.neighbours.push_back(
          static_cast<std::int32_t>(scrambled(7 * n + static_cast<std::uint32_t>(e) + 1000) % nodes));
  }
  return graph;
}

std::vector<std::int32_t> distances(const Graph& graph) {
  std::vector<std::int32_t> distance(nodes, -1);
  distance[0] = 0;
  for (std::deque<std::size_t> queue{0}; !queue.empty(); queue.pop_front()) {
    const std::size_t node = queue.front();
    const auto first = static_cast<std::size_t>(graph.first_and_count[2 * node]),
               edges = static_cast<std::size_t>(graph.first_and_count[2 * node + 1]);
    for (std::size_t e = first; e < first + edges; ++e)
      if (const auto next = static_cast<std::size_t>(graph.neighbours[e]); distance[next] < 0) {
        distance[next] = distance[node] + 1;
        queue.push_back(next);
      }
  }
  return distance;
}

TEST(BreadthFirstSearch, FindsAllDistances) {
  const Graph graph = random_graph();
  Device device;
  std::vector<std::uint8_t> only_source(nodes);
  only_source[0] = 1;
  std::vector<std::int32_t> cost(nodes, -1);
  cost[0] = 0;
  const Argument begin = device.buffer(graph.first_and_count), edges = device.buffer(graph.neighbours),
                 frontier = device.buffer(only_source),
                 reached = device.buffer(std::vector<std::uint8_t>(nodes)),
                 visited = device.buffer(only_source), costs = device.buffer(cost);
  const Code expand = workload("rodinia/bfs", "Kernel"), advance = workload("rodinia/bfs", "Kernel2");
  bool more = true;
  for (int level = 0; more && level < 50; ++level) {
    const Argument any = device.buffer(std::vector<std::uint8_t>{0});
    device.run(expand, {3}, {256}, {begin, edges, frontier, reached, visited, costs, count(nodes)});
    device.run(advance, {3}, {256}, {frontier, reached, visited, any, count(nodes)});
    more = device.read<std::uint8_t>(any)[0] != 0;
  }
  EXPECT_EQ(device.read<std::int32_t>(costs), distances(graph));
}

} // namespace
} // namespace kerncast::functional_test::bfs_test
