// Warps take turns, in order; each goes on until it waits, has left the kernel, or was at it for long.
#include "cta.h"

#include <fmt/format.h>

namespace kerncast::functional {

CtaExecutor::CtaExecutor(const LaunchState& state)
    : state_(state), space_(state.program, state.memory, state.variables, state.parameters.bytes,
                            state.launch.dynamic_shared_bytes, state.any_contents),
      races_(state.check_races ? std::optional<RaceCheck>(space_.shared().size()) : std::nullopt),
      memory_(space_, races_ ? &*races_ : nullptr, state.global_races) {
  for (std::uint32_t w = 0; w < state.launch.warps_per_cta(); ++w)
    warps_.push_back(std::make_unique<Warp>(state, w));
  counts_.resize(state.program.blocks.size(), state.program.loops.size());
}

std::optional<Fault> CtaExecutor::run(tasklist::Dim3 cta, Recorder* recorder) {
  const auto warps = static_cast<std::uint32_t>(warps_.size());
  std::fill(space_.shared().begin(), space_.shared().end(), std::uint8_t{0});
  if (races_)
    races_->next_phase();
  memory_.start_cta((cta.z * state_.launch.grid.y + cta.y) * state_.launch.grid.x + cta.x);
  for (const auto& warp : warps_)
    warp->start(cta, recorder);
  barriers_.start(warps, state_.launch.threads_per_cta());
  finished_.assign(warps, false);
  running_ = warps;
  while (running_ > 0) {
    bool moved = false;
    for (std::uint32_t w = 0; w < warps; ++w) {
      if (finished_[w] || barriers_.is_waiting(w))
        continue;
      moved = true;
      if (auto fault = take_turn(w))
        return fault;
    }
    if (!moved)
      return deadlock();
  }
  return std::nullopt;
}

// Warps that take turns for ever: none of them need be a runaway by itself yet.
std::optional<Fault> CtaExecutor::paused(std::uint32_t w) const {
  std::uint64_t visits = 0;
  for (const auto& warp : warps_)
    visits += warp->visits();
  if (visits / RunOptions::visits_per_cta <= state_.max_visits_per_warp)
    return std::nullopt;
  return warps_[w]->runaway("the CTA's warps", visits);
}

std::optional<Fault> CtaExecutor::take_turn(std::uint32_t w) {
  Warp& warp = *warps_[w];
  switch (warp.run(memory_, counts_)) {
  case Warp::Turn::faulted:
    return warp.fault();
  case Warp::Turn::paused:
    return paused(w);
  case Warp::Turn::finished:
    finished_[w] = true;
    --running_;
    barriers_.leave();
    break;
  case Warp::Turn::barrier:
    if (!barriers_.arrive(w, warp))
      return barriers_.fault();
    break;
  }
  if (!barriers_.take_phase_end())
    return std::nullopt;
  memory_.next_phase();
  if (races_)
    races_->next_phase();
  return std::nullopt;
}

Fault CtaExecutor::deadlock() const {
  std::uint32_t first = 0;
  while (finished_[first])
    ++first;
  return {fmt::format("deadlock: {} of {} warps wait at barriers that nobody else comes to", running_,
                      warps_.size()),
          "all warps of a CTA must come to the same barrier", warps_[first]->line(), first, 0};
}

} // namespace kerncast::functional
