// SM workloads small enough to work out by hand: one sub-core, every warp runs a list of operations once.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/simulate_sm.h"

namespace kerncast::engine::small {

// `slots`: sources, then destinations.
inline SmOp with_slots(SmProgram& program, SmOp op, const std::vector<std::uint16_t>& sources,
                       const std::vector<std::uint16_t>& destinations = {}) {
  op.slots = static_cast<std::uint32_t>(program.slots.size());
  op.source_count = static_cast<std::uint8_t>(sources.size());
  op.destination_count = static_cast<std::uint8_t>(destinations.size());
  program.slots.insert(program.slots.end(), sources.begin(), sources.end());
  program.slots.insert(program.slots.end(), destinations.begin(), destinations.end());
  return op;
}

inline SmOp compute(double latency, std::uint16_t unit = 0) {
  SmOp op;
  op.latency = latency;
  op.unit = unit;
  return op;
}

inline SmOp load(std::uint16_t request) {
  SmOp op;
  op.kind = SmOpKind::memory;
  op.access = request;
  op.returns_data = true;
  return op;
}

inline SmOp barrier(std::uint32_t use, double latency) {
  SmOp op;
  op.kind = SmOpKind::barrier;
  op.barrier = use;
  op.latency = latency;
  return op;
}

// One list of operations per warp of the only CTA; `program` holds requests, slots and barrier uses.
inline SmWorkload workload(SmProgram program, const std::vector<std::vector<SmOp>>& warps) {
  SmWorkload w;
  w.kinds = {{}};
  for (const std::vector<SmOp>& ops : warps) {
    const auto first = static_cast<std::uint32_t>(program.ops.size());
    program.ops.insert(program.ops.end(), ops.begin(), ops.end());
    w.kinds[0].warp_paths.push_back(static_cast<std::uint32_t>(program.path_start.size()));
    program.path_start.push_back(static_cast<std::uint32_t>(program.steps.size()));
    program.steps.push_back({.kind = Step::Kind::run,
                             .first_op = first,
                             .end_op = static_cast<std::uint32_t>(program.ops.size())});
    program.steps.push_back({.kind = Step::Kind::finish});
  }
  for (std::uint32_t i = 0; i < program.requests.size(); ++i)
    program.request_pool.push_back(i);
  program.slot_count = 8;
  w.program = std::make_shared<const SmProgram>(std::move(program));
  w.config.units = {{configs::UnitScope::sm, 1}, {configs::UnitScope::sm, 1}};
  w.config.scheduler = configs::SchedulerPolicy::oldest;
  w.ctas = {{0, 1}};
  return w;
}

inline double charged(const SmResult& result, WarpState state) {
  return result.warp_state_cycles[static_cast<std::size_t>(state)];
}

} // namespace kerncast::engine::small
