#include <algorithm>
#include <cassert>
#include <iterator>
#include <memory>

#include "coordinator.h"
#include "link_process.h"
#include "rank_process.h"

namespace kerncast::ranks {
namespace {

using Execution = pdes::Execution<RankMessage>;

// The processes of this part of a job: vertices, then the coordinator.
struct System {
  System(const SharedTimes& times, const Execution& execution) : processes(times.coordinator() + 1, nullptr) {
    const Topology& topology = times.topology;
    for (pdes::ProcessId id = 0; id < processes.size(); ++id) {
      if (execution.placement.rank_of(id) != execution.rank)
        continue;
      if (topology.is_rank(id)) {
        ranks.push_back(std::make_unique<RankProcess>(times, id));
        processes[id] = ranks.back().get();
      } else if (id < topology.vertices()) {
        links.push_back(std::make_unique<LinkProcess>(topology, id));
        processes[id] = links.back().get();
      } else {
        coordinator = std::make_unique<Coordinator>(topology);
        processes[id] = coordinator.get();
      }
    }
  }

  std::vector<std::unique_ptr<RankProcess>> ranks; // ascending
  std::vector<std::unique_ptr<LinkProcess>> links;
  std::unique_ptr<Coordinator> coordinator; // null: elsewhere
  std::vector<pdes::Process<RankMessage>*> processes;
};

// Loads of single links, of several processes, as one for each kind.
void merge_loads(std::vector<LinkLoad>& loads) {
  std::vector<LinkLoad> merged;
  for (const LinkKind kind : {LinkKind::peer, LinkKind::nic, LinkKind::network, LinkKind::uplink}) {
    LinkLoad sum{kind, 0, 0};
    for (const LinkLoad& load : loads)
      if (load.kind == kind) {
        sum.bytes += load.bytes;
        sum.busiest_us = std::max(sum.busiest_us, load.busiest_us);
      }
    if (sum.bytes > 0)
      merged.push_back(sum);
  }
  loads = std::move(merged);
}

auto order_of(const Problem& p) {
  return std::tuple(p.rank, p.position, p.kind, p.other_rank, p.other_position);
}

} // namespace

RanksResult simulate_ranks(const RanksWorkload& workload, const Execution& execution) {
  timeline::check_times(workload.kernel_time_us);
  const SharedTimes times(workload);
  System system(times, execution);
  RanksResult result;
  result.statistics = pdes::Simulation<RankMessage>(system.processes, times.lookahead, execution).run();
  for (const auto& rank : system.ranks) {
    result.ranks.push_back(rank->outcome());
    result.spans_cut = result.spans_cut || rank->spans_cut();
    rank->add_problems(result.problems);
    rank->add_loads(result.links);
  }
  for (const auto& links : system.links)
    links->add_loads(result.links);
  if (system.coordinator) {
    system.coordinator->add_problems(result.problems);
    result.collectives = system.coordinator->collectives();
  }
  RanksResult whole;
  add_result(std::move(result), whole);
  return whole;
}

void add_result(RanksResult other, RanksResult& into) {
  const auto append = [](auto& from, auto& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  append(other.ranks, into.ranks);
  append(other.problems, into.problems);
  append(other.collectives, into.collectives);
  append(other.links, into.links);
  std::sort(into.ranks.begin(), into.ranks.end(),
            [](const RankOutcome& a, const RankOutcome& b) { return a.rank < b.rank; });
  std::sort(into.problems.begin(), into.problems.end(),
            [](const Problem& a, const Problem& b) { return order_of(a) < order_of(b); });
  merge_loads(into.links);
  into.statistics.add(other.statistics);
  into.spans_cut = into.spans_cut || other.spans_cut;
}

CriticalPath critical_path(const RanksResult& result) {
  CriticalPath path;
  if (result.ranks.empty())
    return path;
  const auto last = std::max_element(
      result.ranks.begin(), result.ranks.end(),
      [](const RankOutcome& a, const RankOutcome& b) { return a.statistics.end_us < b.statistics.end_us; });
  const RankOutcome* rank = &*last;
  path.ranks.push_back(rank->rank);
  Picoseconds now = to_picoseconds(last->statistics.end_us);
  while (true) {
    const auto later = std::upper_bound(rank->exchanges.begin(), rank->exchanges.end(), now,
                                        [](Picoseconds t, const Exchange& one) { return t < one.end; });
    if (later == rank->exchanges.begin()) {
      path.own_us += static_cast<double>(now) / picoseconds_per_us;
      return path;
    }
    const Exchange& one = *std::prev(later);
    path.own_us += static_cast<double>(now - one.end) / picoseconds_per_us;
    path.transfer_us += static_cast<double>(one.end - one.ready) / picoseconds_per_us;
    assert(one.ready < one.end && "a path goes back in time");
    now = one.ready;
    if (one.later == rank->rank)
      continue;
    rank = &result.ranks[one.later];
    path.ranks.push_back(rank->rank);
  }
}

} // namespace kerncast::ranks
