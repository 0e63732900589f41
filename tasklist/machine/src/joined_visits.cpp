// A head and all that is joined to it, also blocks of which nothing is left, are visited in a row, at one
// level of a path: nothing but the head leads to them, so no loop begins between them.
#include "machine/joined_visits.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "path_nodes.h"

namespace kerncast::machine {
namespace {

using tasklist::BlockId;
using tasklist::LaunchBehaviour;
using tasklist::no_id;
using tasklist::PathNode;

class VisitJoiner {
public:
  VisitJoiner(const LaunchBehaviour& behaviour, const MachineProgram& program)
      : result_(behaviour), program_(program), joined_(program.joined_blocks),
        of_block_(program.blocks.size(), no_id), first_of_head_(program.blocks.size(), no_id),
        bare_(behaviour.visits.size(), no_id) {
    for (std::uint32_t i = static_cast<std::uint32_t>(joined_.size()); i-- > 0;) {
      of_block_[joined_[i].block] = i;
      first_of_head_[joined_[i].head] = i;
    }
  }

  LaunchBehaviour run() {
    rewrite_paths(result_, [this](Nodes nodes, std::vector<PathNode>& out) { add_nodes(nodes, out); });
    return std::move(result_);
  }

private:
  BlockId block_of(std::uint32_t visit) const { return result_.visits[visit].block; }

  void add_nodes(Nodes nodes, std::vector<PathNode>& out) {
    while (!nodes.empty())
      nodes = nodes.subspan(nodes.front().kind == PathNode::Kind::repeat ? add_repeat(nodes, out)
                                                                         : add_visits(nodes, out));
  }

  // Both return how many nodes they took.
  std::size_t add_repeat(Nodes nodes, std::vector<PathNode>& out) {
    const std::size_t at = out.size();
    out.push_back(nodes.front());
    add_nodes(nodes.subspan(1, nodes.front().length), out);
    out[at].length = static_cast<std::uint32_t>(out.size() - at - 1);
    if (out[at].length == 0) // visits of joined blocks without operations of their own
      out.pop_back();
    return 1 + std::size_t{nodes.front().length};
  }

  std::size_t add_visits(Nodes nodes, std::vector<PathNode>& out) {
    const std::uint32_t first = nodes.front().visit;
    const std::uint32_t joined = of_block_[block_of(first)];
    const BlockId head = joined != no_id ? joined_[joined].head : block_of(first);
    if (first_of_head_[head] == no_id) {
      out.push_back(nodes.front());
      return 1;
    }
    // A joined block that does not follow its head would be a visit of it of which only those lanes know.
    std::vector<std::uint32_t> visits{first};
    while (visits.size() < nodes.size() && goes_on(visits.back(), nodes[visits.size()], head))
      visits.push_back(nodes[visits.size()].visit);
    out.push_back({.visit = visit_of(head, visits)});
    for (const std::uint32_t visit : visits)
      if (block_of(visit) != head && program_.blocks[block_of(visit)].op_count > 0)
        out.push_back({.visit = bare(visit)});
    return visits.size();
  }

  bool goes_on(std::uint32_t last, const PathNode& next, BlockId head) const {
    if (next.kind != PathNode::Kind::visit || block_of(next.visit) <= block_of(last))
      return false;
    const std::uint32_t joined = of_block_[block_of(next.visit)];
    return joined != no_id && joined_[joined].head == head;
  }

  std::uint32_t visit_of(BlockId head, const std::vector<std::uint32_t>& visits) {
    const auto [known, is_new] = known_.try_emplace(visits);
    if (!is_new)
      return known->second;
    const auto begin = static_cast<std::uint32_t>(result_.access_pool.size());
    const std::uint32_t first = first_of_head_[head];
    auto next = visits.begin();
    add_accesses(head, joined_[first].accesses_before, visits, next);
    for (std::uint32_t i = first; i < joined_.size() && joined_[i].head == head; ++i)
      add_accesses(joined_[i].block, joined_[i].accesses, visits, next);
    return known->second = add_visit(result_, head, result_.visits[visits.front()].active_mask, begin);
  }

  // Of the next visit, if it is one of the block, which has so many.
  void add_accesses(BlockId block, std::uint32_t count, const std::vector<std::uint32_t>& visits,
                    std::vector<std::uint32_t>::const_iterator& next) {
    if (next != visits.end() && block_of(*next) == block)
      repeat_accesses(result_, *next++);
    else
      result_.access_pool.insert(result_.access_pool.end(), count, count > 0 ? of_no_lane() : 0);
  }

  std::uint32_t of_no_lane() {
    if (of_no_lane_ == no_id) {
      of_no_lane_ = static_cast<std::uint32_t>(result_.shapes.size());
      result_.shapes.emplace_back();
    }
    return of_no_lane_;
  }

  std::uint32_t bare(std::uint32_t visit) {
    if (bare_[visit] == no_id)
      bare_[visit] = add_visit(result_, block_of(visit), result_.visits[visit].active_mask,
                               static_cast<std::uint32_t>(result_.access_pool.size()));
    return bare_[visit];
  }

  LaunchBehaviour result_;
  const MachineProgram& program_;
  std::span<const JoinedBlock> joined_;
  std::vector<std::uint32_t> of_block_;                       // by block: in joined_, or no_id
  std::vector<std::uint32_t> first_of_head_;                  // by block: in joined_, or no_id
  std::vector<std::uint32_t> bare_;                           // by visit: the same without accesses, or no_id
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_; // visits of heads by what they are made of
  std::uint32_t of_no_lane_ = no_id;                          // shape
};

} // namespace

std::optional<LaunchBehaviour> joined_visits(const LaunchBehaviour& behaviour,
                                             const MachineProgram& program) {
  if (program.joined_blocks.empty())
    return {};
  return VisitJoiner(behaviour, program).run();
}

} // namespace kerncast::machine
