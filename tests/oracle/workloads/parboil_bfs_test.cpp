// Claim: the launches of parboil/bfs, one for each queue, give every node its distance from the source.
#include <deque>
#include <limits>

#include "workload.h"

namespace kerncast::functional_test::parboil_bfs_test {
namespace {

constexpr std::uint32_t nodes = 700, degree = 3;
constexpr std::int32_t far = std::numeric_limits<std::int32_t>::max(), white = 16677217;

std::uint32_t neighbour(std::uint32_t node, std::uint32_t edge) {
  return scrambled(degree * node + edge) % nodes;
}

Integers distances() {
  Integers distance(nodes, far);
  distance[0] = 0;
  for (std::deque<std::uint32_t> queue{0}; !queue.empty(); queue.pop_front())
    for (std::uint32_t e = 0; e < degree; ++e) {
      const std::uint32_t node = queue.front(), next = neighbour(node, e);
      if (distance[next] == far) {
        distance[next] = distance[node] + 1;
        queue.push_back(next);
      }
    }
  return distance;
}

TEST(QueuedBreadthFirstSearch, FindsAllDistances) {
  Device device;
  const Argument ranges = device.buffer(generated<std::int32_t>(
                     2 * nodes, [](std::uint32_t k) { return k % 2 == 0 ? k / 2 * degree : degree; })),
                 edges = device.buffer(generated<std::int32_t>(2 * nodes * degree, [](std::uint32_t k) {
                   return k % 2 == 0 ? neighbour(k / 2 / degree, k / 2 % degree) : 1;
                 }));
  Integers cost(nodes, far);
  cost[0] = 0;
  const Argument costs = device.buffer(cost), colours = device.buffer(Integers(nodes, white));
  Argument queue = device.buffer(Integers(nodes)), next = device.buffer(Integers(nodes));
  const Code level_kernel = workload("parboil/bfs", "BFS_kernel");
  std::uint32_t size = 1;
  for (int level = 0; size > 0 && level < 50; ++level) {
    const Argument tail = device.buffer(Integers{0});
    device.run(level_kernel, {(size + 63) / 64}, {64},
               {queue, next, ranges, edges, colours, costs, count(size), tail, integer(white + 2 + level % 2),
                integer(level)});
    size = static_cast<std::uint32_t>(device.read<std::int32_t>(tail)[0]);
    std::swap(queue, next);
  }
  EXPECT_EQ(device.read<std::int32_t>(costs), distances());
}

} // namespace
} // namespace kerncast::functional_test::parboil_bfs_test
