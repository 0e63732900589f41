// What a trace sees of the simulation: the parts of every wait, as charge_issue charges them.
#include "sm_issue.h"
#include "trace_recorder.h"

namespace kerncast::engine {

// Before the warp issues at `start`.
void Sm::observe_issue(const SubCore& core, const Warp& warp, Time start) const {
  const HotOp& op = *warp.op;
  const auto index = static_cast<std::uint32_t>(&op - ops_.data());
  const auto sub_core = static_cast<std::uint32_t>(&core - cores_.data());
  const std::uint32_t sm_warp = index_of(warp);
  Time begin = warp.charged_to;
  const auto until = [&](Time end, WarpState state) {
    trace_->warp(sm_warp, index, state, begin, std::max(begin, end));
    begin = std::max(begin, end);
  };
  until(without_reason(warp.operands), static_cast<WarpState>(reason_of(warp.operands)));
  until(warp.earliest, WarpState::wait);
  until(*core.units.free_at[op.unit], op.throttled_as);
  until(start, WarpState::not_selected);
  until(start + one_cycle, WarpState::issued);
  trace_->unit(op.unit, sub_core, sm_warp, index, start, held_interval(warp, op));
}

void Sm::observe_wait(const Warp& warp, const HotOp& op, WarpState state, Time until) const {
  const auto place = static_cast<std::uint32_t>(&warp - warps_.data());
  const std::uint32_t slot = place % max_warps_per_sub_core;
  trace_->warp(slot * sub_cores_ + place / max_warps_per_sub_core,
               static_cast<std::uint32_t>(&op - ops_.data()), state, warp.charged_to, until);
}

} // namespace kerncast::engine
