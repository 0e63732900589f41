// Paths are walked from their ends, so that it is known of each lane where it goes next.
#include "visit_counts.h"

#include <array>
#include <bit>
#include <utility>

namespace kerncast::app {
namespace {

using tasklist::BlockId;
using tasklist::PathNode;

class Walk {
public:
  Walk(const tasklist::LaunchBehaviour& executed, const tasklist::Tasklist& list,
       const machine::MachineProgram& program)
      : executed_(executed), list_(list), trips_(program.blocks.size()), counts_(executed.visits.size()) {
    for (BlockId b = 0; b < trips_.size(); ++b)
      trips_[b] = b;
    for (const machine::TripGroup& group : program.trip_groups)
      trips_[group.group] = group.trip;
  }

  void path(const std::vector<PathNode>& nodes, double warps) {
    next_.fill(tasklist::no_id);
    back(nodes, 0, nodes.size(), warps);
  }

  std::vector<VisitCounts> take() { return std::move(counts_); }

private:
  // Nodes [begin, end), which happen `times` times and after which lanes go on alike.
  void back(const std::vector<PathNode>& nodes, std::size_t begin, std::size_t end, double times) {
    std::vector<std::size_t> of_this_level;
    for (std::size_t i = begin; i < end; i += 1 + nodes[i].length)
      of_this_level.push_back(i);
    for (auto at = of_this_level.rbegin(); at != of_this_level.rend(); ++at) {
      const PathNode& node = nodes[*at];
      if (node.kind == PathNode::Kind::visit)
        visit(node.visit, times);
      else
        repeat(nodes, *at, times);
    }
  }

  // The last time goes on behind the loop, the others at its start.
  void repeat(const std::vector<PathNode>& nodes, std::size_t at, double times) {
    const PathNode& node = nodes[at];
    if (node.count > 0)
      back(nodes, at + 1, at + 1 + node.length, times);
    if (node.count > 1)
      back(nodes, at + 1, at + 1 + node.length, times * static_cast<double>(node.count - 1));
  }

  void visit(std::uint32_t number, double times) {
    const tasklist::BlockVisit& visit = executed_.visits[number];
    const BlockId block = trips_[visit.block];
    const std::vector<BlockId>& successors = list_.blocks[block].successors;
    const bool may_fall_through = successors.size() > 1 && ends_guarded(list_.blocks[block]);
    VisitCounts& counts = counts_[number];
    counts.times += times;
    for (std::uint32_t left = visit.active_mask; left != 0; left &= left - 1) {
      BlockId& next = next_[static_cast<std::size_t>(std::countr_zero(left))];
      const bool falls_through = may_fall_through && next == successors.back();
      counts.ended += next == tasklist::no_id ? times : 0;
      counts.taken += next == tasklist::no_id || falls_through ? 0 : times;
      next = block;
    }
  }

  bool ends_guarded(const tasklist::Block& block) const {
    return block.task_count > 0 && list_.tasks[block.first_task + block.task_count - 1].predicated;
  }

  const tasklist::LaunchBehaviour& executed_;
  const tasklist::Tasklist& list_;
  std::vector<BlockId> trips_; // by block: itself, or that of which it executes a group
  std::vector<VisitCounts> counts_;
  std::array<BlockId, tasklist::lanes_per_warp> next_{};
};

} // namespace

std::vector<VisitCounts> count_visits(const tasklist::LaunchBehaviour& executed,
                                      const tasklist::Tasklist& list,
                                      const machine::MachineProgram& program) {
  const std::vector<double> warps = tasklist::warps_by_path(executed);
  Walk walk(executed, list, program);
  for (std::size_t p = 0; p < warps.size(); ++p)
    walk.path(executed.paths[p].nodes, warps[p]);
  return walk.take();
}

} // namespace kerncast::app
