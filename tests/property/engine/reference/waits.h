// What the next instruction of a warp waits for in the plain reference.
#pragma once

#include <algorithm>

#include "sm.h"

namespace kerncast::engine::reference {

inline double latest(const std::vector<double>& ends) {
  return ends.empty() ? 0 : *std::max_element(ends.begin(), ends.end());
}

// When all of the warp's groups but the newest `keep` have ended.
inline double end_of_groups(const Warp& w, AsyncKind kind, std::size_t keep) {
  const auto k = static_cast<std::size_t>(kind);
  double end = keep == all_groups ? latest(w.open[k]) : 0;
  const std::size_t kept = keep == all_groups ? 0 : keep;
  for (std::size_t i = 0; i + kept < w.closed[k].size(); ++i)
    end = std::max(end, w.closed[k][i]);
  return end;
}

inline double operands(const Sm& sm, const Warp& w) {
  const SmOp& op = sm.op_of(w);
  double ready = w.fetched;
  if (op.kind == SmOpKind::fence)
    ready = std::max(ready, w.memory_completed);
  if (op.kind == SmOpKind::wait_group)
    ready = std::max(ready, end_of_groups(w, op.async, op.keep));
  const std::size_t limit = sm.work.config.loads_per_warp;
  if (op.kind == SmOpKind::memory && op.returns_data && limit != 0 && w.loads.size() >= limit)
    ready = std::max(ready, w.loads[w.loads.size() - limit]);
  for (std::uint32_t i = 0; i < op.source_count; ++i) {
    const std::uint16_t slot = sm.program.slots[op.slots + i];
    ready = std::max(ready, w.writer[slot] == op.unit ? w.board[slot] : w.board_elsewhere[slot]);
  }
  return ready;
}

// `paired`: in the cycle of the warp's instruction before.
inline bool can_issue(Sm& sm, std::uint32_t index, bool paired) {
  const Warp& w = sm.warps[index];
  if (!w.alive || w.at_barrier || sm.at_end(w))
    return false;
  const std::vector<double>& free = sm.pipelines(index, sm.op_of(w));
  const double queue = stepped(sm.work.config.units[sm.op_of(w).unit].queue);
  return (paired || w.earliest < sm.now + 1) && operands(sm, w) < sm.now + 1 &&
         *std::min_element(free.begin(), free.end()) - queue < sm.now + 1;
}

// The line of the warp's next instruction is asked for as soon as the one before has issued.
inline void fetch(Sm& sm, Warp& w) {
  const SmConfig& config = sm.work.config;
  if (config.instruction_cache_lines == 0 || sm.at_end(w))
    return;
  const std::uint32_t line = sm.traced(w).op / config.instructions_per_line;
  w.fetched = line == w.line ? 0 : sm.code.fetch(line, w.earliest, config, sm.memory);
  w.line = line;
}

} // namespace kerncast::engine::reference
