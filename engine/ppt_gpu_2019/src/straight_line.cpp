#include "straight_line.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "ppt_gpu_2019/input.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

using tasklist::BlockId;
using tasklist::LaunchBehaviour;
using tasklist::PathNode;
using tasklist::Tasklist;

class Walk {
public:
  Walk(const Tasklist& list, const LaunchBehaviour& behaviour) : list_(list), behaviour_(behaviour) {}

  double task_count(std::span<const PathNode> nodes) const {
    double count = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].kind == PathNode::Kind::visit) {
        count += list_.blocks[block_of(nodes[i])].task_count;
      } else {
        count += static_cast<double>(nodes[i].count) * task_count(nodes.subspan(i + 1, nodes[i].length));
        i += nodes[i].length;
      }
    }
    return count;
  }

  void append(std::span<const PathNode> nodes, std::vector<BlockId>& blocks) const {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].kind == PathNode::Kind::visit) {
        if (list_.blocks[block_of(nodes[i])].task_count > 0)
          blocks.push_back(block_of(nodes[i]));
      } else {
        const std::span<const PathNode> body = nodes.subspan(i + 1, nodes[i].length);
        if (task_count(body) > 0)
          for (std::uint64_t n = 0; n < nodes[i].count; ++n)
            append(body, blocks);
        i += nodes[i].length;
      }
    }
  }

private:
  BlockId block_of(const PathNode& node) const { return behaviour_.visits[node.visit].block; }

  const Tasklist& list_;
  const LaunchBehaviour& behaviour_;
};

} // namespace

Expected<std::vector<BlockId>> straight_line(const Tasklist& list, const LaunchBehaviour& behaviour) {
  if (behaviour.paths.empty()) {
    if (list.blocks.size() == 1)
      return std::vector<BlockId>{0};
    return fail(fmt::format("the way of the warps through the {} blocks of kernel '{}' is not known",
                            list.blocks.size(), list.kernel),
                "give the parameter values or the trip counts that decide it");
  }
  const std::vector<double> weights = tasklist::warps_by_path(behaviour);
  const auto most_common = static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
  const std::vector<PathNode>& nodes = behaviour.paths[most_common].nodes;
  const Walk walk(list, behaviour);
  const double count = walk.task_count(nodes);
  if (count > static_cast<double>(max_items))
    return fail(
        fmt::format("kernel '{}' executes {:.0f} tasks per warp; this model writes all of them out and "
                    "accepts {}",
                    list.kernel, count, max_items),
        "use --model pipeline, which keeps loops as loops");
  std::vector<BlockId> blocks;
  walk.append(nodes, blocks);
  return blocks;
}

bool warps_differ(const LaunchBehaviour& behaviour) {
  const std::vector<double> weights = tasklist::warps_by_path(behaviour);
  return std::ranges::count_if(weights, [](double weight) { return weight > 0; }) > 1;
}

} // namespace kerncast::ppt_gpu_2019
