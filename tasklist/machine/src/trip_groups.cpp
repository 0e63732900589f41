// Repeats are taken apart as far as a group reaches over their ends: what is pending after an iteration,
// fewer trips than a group, comes again after some iterations, and what they emitted is repeated then.
#include "machine/trip_groups.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <span>

#include "path_nodes.h"

namespace kerncast::machine {
namespace {

using tasklist::LaunchBehaviour;
using tasklist::PathNode;

using Visits = std::vector<std::uint32_t>;

void add_repeat(std::uint64_t count, Nodes body, std::vector<PathNode>& out) {
  if (count == 0 || body.empty())
    return;
  if (count > 1)
    out.push_back(
        {.kind = PathNode::Kind::repeat, .length = static_cast<std::uint32_t>(body.size()), .count = count});
  out.insert(out.end(), body.begin(), body.end());
}

class Grouper {
public:
  Grouper(const LaunchBehaviour& behaviour, const MachineProgram& program)
      : result_(behaviour), groups_(program.trip_groups) {}

  LaunchBehaviour run() {
    rewrite_paths(result_, [this](Nodes nodes, std::vector<PathNode>& out) { add_nodes(nodes, out); });
    return std::move(result_);
  }

private:
  // One node with all that it repeats.
  static std::size_t extent(const PathNode& node) {
    return node.kind == PathNode::Kind::visit ? 1 : 1 + std::size_t{node.length};
  }

  void add_nodes(Nodes nodes, std::vector<PathNode>& out) {
    while (!nodes.empty()) {
      const TripGroup* const group = group_of(nodes.first(extent(nodes.front())));
      std::size_t end = extent(nodes.front());
      while (group != nullptr && end < nodes.size() &&
             group_of(nodes.subspan(end, extent(nodes[end]))) == group)
        end += extent(nodes[end]);
      if (group != nullptr)
        add_run(*group, nodes.first(end), out);
      else
        add_other(nodes.front(), nodes.subspan(1, end - 1), out);
      nodes = nodes.subspan(end);
    }
  }

  void add_other(const PathNode& node, Nodes body, std::vector<PathNode>& out) {
    if (node.kind == PathNode::Kind::visit) {
      out.push_back(node);
      return;
    }
    std::vector<PathNode> grouped;
    add_nodes(body, grouped);
    add_repeat(node.count, grouped, out);
  }

  // Whose block all visits of the nodes are to; null if there is none.
  const TripGroup* group_of(Nodes nodes) const {
    const TripGroup* found = nullptr;
    for (const PathNode& node : nodes) {
      if (node.kind == PathNode::Kind::repeat)
        continue;
      const auto group = std::ranges::find(groups_, result_.visits[node.visit].block, &TripGroup::trip);
      if (group == groups_.end() || (found != nullptr && found != &*group))
        return nullptr;
      found = &*group;
    }
    return found;
  }

  void add_run(const TripGroup& group, Nodes nodes, std::vector<PathNode>& out) {
    Visits pending;
    add_trips(group, nodes, pending, out);
    for (auto first = pending.begin(); first != pending.end();) {
      const auto end = std::find_if(first, pending.end(), [&](std::uint32_t v) { return v != *first; });
      const PathNode single{.visit = *first};
      add_repeat(static_cast<std::uint64_t>(end - first), std::span(&single, 1), out);
      first = end;
    }
  }

  void add_trips(const TripGroup& group, Nodes nodes, Visits& pending, std::vector<PathNode>& out) {
    for (std::size_t i = 0; i < nodes.size(); i += extent(nodes[i]))
      if (nodes[i].kind == PathNode::Kind::visit)
        add_trip(group, nodes[i].visit, pending, out);
      else
        repeat_trips(group, nodes[i].count, nodes.subspan(i + 1, nodes[i].length), pending, out);
  }

  void add_trip(const TripGroup& group, std::uint32_t visit, Visits& pending, std::vector<PathNode>& out) {
    pending.push_back(visit);
    if (pending.size() < group.trips)
      return;
    out.push_back({.visit = visit_of(group, pending)});
    pending.clear();
  }

  void repeat_trips(const TripGroup& group, std::uint64_t count, Nodes body, Visits& pending,
                    std::vector<PathNode>& out) {
    std::vector<Visits> pending_before; // each iteration
    std::vector<std::size_t> begins;    // where it emits, in `emitted`
    std::vector<PathNode> emitted;
    for (std::uint64_t done = 0; done < count; ++done) {
      const auto again = std::ranges::find(pending_before, pending);
      if (again != pending_before.end()) {
        const auto first = static_cast<std::size_t>(again - pending_before.begin());
        const std::uint64_t period = done - first;
        const std::vector<PathNode> cycle(emitted.begin() + static_cast<std::ptrdiff_t>(begins[first]),
                                          emitted.end());
        emitted.resize(begins[first]);
        out.insert(out.end(), emitted.begin(), emitted.end());
        add_repeat((count - first) / period, cycle, out);
        for (std::uint64_t rest = (count - first) % period; rest > 0; --rest)
          add_trips(group, body, pending, out);
        return;
      }
      pending_before.push_back(pending);
      begins.push_back(emitted.size());
      add_trips(group, body, pending, emitted);
    }
    out.insert(out.end(), emitted.begin(), emitted.end());
  }

  std::uint32_t visit_of(const TripGroup& group, const Visits& trips) {
    const auto [known, is_new] = known_.try_emplace(trips);
    if (!is_new)
      return known->second;
    const auto begin = static_cast<std::uint32_t>(result_.access_pool.size());
    for (const std::uint32_t trip : trips) {
      assert(result_.visits[trip].accesses.count == group.accesses &&
             "a visit has a shape for each memory task");
      repeat_accesses(result_, trip);
    }
    return known->second = add_visit(result_, group.group, result_.visits[trips.front()].active_mask, begin);
  }

  LaunchBehaviour result_;
  std::span<const TripGroup> groups_;
  std::map<Visits, std::uint32_t> known_; // visits of groups by their trips'
};

} // namespace

std::optional<LaunchBehaviour> grouped_trips(const LaunchBehaviour& behaviour,
                                             const MachineProgram& program) {
  if (program.trip_groups.empty())
    return {};
  return Grouper(behaviour, program).run();
}

} // namespace kerncast::machine
