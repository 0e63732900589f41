#include "../../timeline_gpu.h"

#include <random>

#include <gtest/gtest.h>

namespace kerncast::timeline::graphs {
namespace {

using test::d2h;
using test::gpu;
using test::h2d;

std::vector<Event> graph(std::vector<Event> nodes, std::uint32_t stream = 0) {
  nodes.insert(nodes.begin(), GraphEvent{true, 0, stream});
  nodes.emplace_back(GraphEvent{false, 0, stream});
  return nodes;
}

std::vector<Event> operator+(std::vector<Event> first, const std::vector<Event>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The critical path leads to the end.
double total_us(const std::vector<Event>& events, const configs::Gpu& on = gpu(),
                std::span<const KernelShare> shares = {}) {
  const Timeline t = simulate_timeline(events, {10, 1}, on, shares);
  const CriticalPath& path = t.critical_path;
  EXPECT_NEAR(path.kernels + path.copies + path.launches, t.total_time_us, 1e-9 * t.total_time_us);
  return t.total_time_us;
}

TEST(Graph, CostsTheHostOneLaunch) {
  const std::vector<Event> kernels = {KernelEvent{1, 0, 10}};
  EXPECT_EQ(total_us(kernels), 21);        // one every 2 us, the last 20..21
  EXPECT_EQ(total_us(graph(kernels)), 12); // launch 0..2, kernels 2..12
  configs::Gpu other = gpu();
  other.graph.launch_overhead_us = 5;
  EXPECT_EQ(total_us(graph(kernels), other), 15);
  EXPECT_EQ(total_us(kernels, other), 21);
}

TEST(Graph, StartsItsNodesAfterTheirOverhead) {
  configs::Gpu slow = gpu();
  slow.graph.node_overhead_us = 0.5;
  // 2.5..12.5, 13..23, copy 23.5..28.5
  const std::vector<Event> events = graph({KernelEvent{0, 0, 2}, d2h(4000)});
  EXPECT_EQ(total_us(events, slow), 28.5);
  const Timeline t = simulate_timeline(events, {10, 1}, slow);
  EXPECT_EQ(t.gpu_busy_us, 25);
  EXPECT_EQ(t.critical_path.launches, 3.5);
  // Launches outside of graphs have none.
  EXPECT_EQ(total_us({KernelEvent{0, 0, 1}}, slow), 12);
}

TEST(Graph, ForksAndJoins) {
  // kernel 2..12, copy beside the second kernel 12..17 and 12..22, the third one 22..32
  EXPECT_EQ(total_us(graph({KernelEvent{0, 0, 1}, EventRecordEvent{0, 0}, StreamWaitEvent{0, 1}, h2d(4000, 1),
                            EventRecordEvent{1, 1}, KernelEvent{0, 0, 1}, StreamWaitEvent{1, 0},
                            KernelEvent{0, 0, 1}})),
            32);
}

TEST(Graph, BeginsAndEndsAsAWhole) {
  // kernel of stream 3 2..12; the graph's copies 12..17 and 12..17 in two streams of it, then one 17..22
  const std::vector<Event> events = std::vector<Event>{KernelEvent{0, 3, 1}} +
                                    graph({h2d(4000, 7), d2h(4000, 8)}, 3) + std::vector<Event>{h2d(4000, 3)};
  EXPECT_EQ(total_us(events), 22);
  // Streams of that number outside of the graph are others.
  EXPECT_EQ(total_us(events + std::vector<Event>{StreamSyncEvent{8}, KernelEvent{1, 8, 1}}), 22);
}

TEST(Graph, DoesNotRunBesideItself) {
  const std::vector<KernelShare> small(2, {0.1, 0.1, 0.1, 0.1});
  configs::Gpu wide = gpu();
  wide.resident_grids = 4;
  const std::vector<Event> kernel = {KernelEvent{0, 0, 1}};
  // Launched at 2 and at 4: beside each other as kernels of two streams, one after the other as one graph.
  EXPECT_EQ(total_us({KernelEvent{0, 1, 1}, KernelEvent{0, 2, 1}}, wide, small), 14);
  EXPECT_EQ(total_us(graph(kernel, 1) + graph(kernel, 2), wide, small), 22);
}

// Where launches cost nothing a graph is the same work in streams.
TEST(Graph, IsTheWorkOfItsStreams) {
  std::mt19937 random(3);
  const auto below = [&random](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  configs::Gpu free = gpu();
  free.launch_overhead_us = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<Event> events = {KernelEvent{below(2), 0, 1}};
    for (int j = 0; j < 30; ++j) {
      const std::uint32_t stream = below(4);
      const Event choices[] = {KernelEvent{below(2), stream, 1 + below(2)}, h2d(1000 * below(5), stream),
                               d2h(1000 * below(5), stream), EventRecordEvent{below(3), stream},
                               StreamWaitEvent{below(3), stream}};
      events.push_back(choices[below(5)]);
    }
    EXPECT_EQ(total_us(graph(events), free), total_us(events, free)) << i;
  }
}

TEST(Graph, NamesWhatIsAssumedOfIt) {
  const std::vector<Event> events = graph({KernelEvent{0, 0, 1}});
  EXPECT_EQ(assumptions(events, {}, gpu()).size(), 2U);
  configs::Gpu known = gpu();
  known.graph = {1, 1};
  EXPECT_TRUE(assumptions(events, {}, known).empty());
}

} // namespace
} // namespace kerncast::timeline::graphs
