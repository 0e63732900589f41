// Warps take turns, in order; each goes on until it waits, has left the kernel, or was at it for long.
#include "cta.h"

#include <bit>

#include <fmt/format.h>

namespace kerncast::functional {

using warp::BarrierOp;

CtaExecutor::CtaExecutor(const LaunchState& state, ClusterState& cluster, std::uint32_t rank, Counts& counts)
    : state_(state), cluster_(cluster), rank_(rank), counts_(counts),
      space_(state.program, state.memory, state.variables, state.parameters,
             state.launch.dynamic_shared_bytes, state.any_contents),
      races_(state.check_races ? std::optional<RaceCheck>(space_.shared().size()) : std::nullopt),
      memory_(space_, races_ ? &*races_ : nullptr, state.global_races, cluster.printed) {
  for (std::uint32_t w = 0; w < state.launch.warps_per_cta(); ++w)
    warps_.push_back(std::make_unique<Warp>(state, w));
  cluster_.members[rank] = {&space_.shared(), races_ ? &*races_ : nullptr, &memory_.tensors(), false};
  if (!state.is_cooperative) // whose CTAs are no cluster
    space_.join(cluster_);
}

void CtaExecutor::start(tasklist::Dim3 cta, Recorder* recorder) {
  const auto warps = static_cast<std::uint32_t>(warps_.size());
  std::fill(space_.shared().begin(), space_.shared().end(), std::uint8_t{0});
  if (races_)
    races_->next_phase();
  memory_.start_cta((cta.z * state_.launch.grid.y + cta.y) * state_.launch.grid.x + cta.x, rank_);
  for (const auto& warp : warps_)
    warp->start(cta, recorder, rank_);
  barriers_.start(warps, state_.launch.threads_per_cta());
  finished_.assign(warps, false);
  arrivals_.assign(warps, {});
  running_ = warps;
  cluster_.members[rank_].has_left = false;
}

bool CtaExecutor::is_waiting(std::uint32_t w) const {
  return barriers_.is_waiting(w) || (arrivals_[w].waits && arrivals_[w].phase == cluster_.barrier.phase());
}

CtaExecutor::Round CtaExecutor::take_round() {
  bool moved = false;
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    if (finished_[w] || is_waiting(w))
      continue;
    moved = true;
    if (!take_turn(w))
      return Round::faulted;
  }
  if (running_ == 0)
    return Round::finished;
  return moved ? Round::moved : Round::waits;
}

bool CtaExecutor::fail(Fault fault) {
  fault_ = std::move(fault);
  return false;
}

// Warps that take turns for ever: none of them need be a runaway by itself yet.
bool CtaExecutor::paused(std::uint32_t w) {
  std::uint64_t work = 0, visits = 0;
  for (const auto& warp : warps_) {
    work += warp->work();
    visits += warp->visits();
  }
  return work / RunOptions::visits_per_cta <= state_.max_work_per_warp ||
         fail(warps_[w]->runaway("the CTA's warps", visits));
}

void CtaExecutor::leave(std::uint32_t w) {
  finished_[w] = true;
  --running_;
  barriers_.leave();
  cluster_.barrier.leave(arrivals_[w].has_arrived && arrivals_[w].phase == cluster_.barrier.phase());
  cluster_.members[rank_].has_left = running_ == 0;
}

// barrier.cluster.arrive or barrier.cluster.wait
bool CtaExecutor::meet_cluster(std::uint32_t w) {
  Arrival& arrival = arrivals_[w];
  const Warp& warp = *warps_[w];
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(warp.arrived()));
  const bool arrives = warp.barrier().kind == BarrierOp::Kind::cluster_arrive;
  if (arrival.has_arrived == arrives)
    return fail({arrives ? "barrier.cluster.arrive a second time without a wait in between"
                         : "barrier.cluster.wait without an arrival before it",
                 "each thread arrives and waits in turn", warp.barrier_line(), w, lane});
  arrival.has_arrived = arrives;
  arrival.waits = !arrives;
  if (!arrives)
    return true;
  arrival.phase = cluster_.barrier.phase();
  cluster_.barrier.arrive();
  return true;
}

// What a CTA allocates it returns before it ends.
bool CtaExecutor::check_tensors() {
  if (memory_.tensors().allocations().empty())
    return true;
  const TensorMemory::Allocation& left = memory_.tensors().allocations().front();
  return fail({fmt::format("{} columns of tensor memory are still allocated when the CTA ends", left.count),
               "return them with tcgen05.dealloc", left.line, left.warp, 0});
}

bool CtaExecutor::take_turn(std::uint32_t w) {
  Warp& warp = *warps_[w];
  arrivals_[w].waits = false;
  switch (warp.run(memory_, counts_)) {
  case Warp::Turn::faulted:
    return fail(warp.fault());
  case Warp::Turn::paused:
    return paused(w);
  case Warp::Turn::finished:
    leave(w);
    if (running_ == 0 && !check_tensors())
      return false;
    break;
  case Warp::Turn::barrier:
    if (warp.barrier().kind == BarrierOp::Kind::cluster_arrive ||
        warp.barrier().kind == BarrierOp::Kind::cluster_wait)
      return meet_cluster(w);
    if (!barriers_.arrive(w, warp))
      return fail(barriers_.fault());
    break;
  }
  if (barriers_.take_phase_end())
    next_phase();
  return true;
}

void CtaExecutor::next_phase() {
  memory_.next_phase();
  if (races_)
    races_->next_phase();
}

Fault CtaExecutor::deadlock() const {
  std::uint32_t first = 0;
  while (finished_[first])
    ++first;
  const bool of_cluster = arrivals_[first].waits;
  return {fmt::format("deadlock: {} of {} warps wait at barriers that nobody else comes to", running_,
                      warps_.size()),
          of_cluster ? "all warps of a cluster must come to its barrier"
                     : "all warps of a CTA must come to the same barrier",
          warps_[first]->line(), first, 0};
}

} // namespace kerncast::functional
