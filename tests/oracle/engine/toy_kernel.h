// Small kernels for the SM engine, written as lists of operations with the indices they depend on.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/simulate_sm.h"
#include "engine/sm_workload.h"

namespace kerncast::engine::toy {

// What an operation costs, in cycles.
struct Cost {
  double interval = 0;
  double latency = 0;
};

struct Op {
  std::uint16_t unit = 0;
  double issue_interval = 1;
  double latency = 1;
  std::vector<std::uint16_t> after; // indices of the operations it depends on
  double cross_latency = 0;         // for those on other units; 0: as latency
  bool barrier = false;             // of all warps of the CTA
};

// A GPU of one sub-core whose units belong to the SM, without CTA launch latency.
inline SmConfig one_scheduler(std::uint32_t issue_width, std::size_t units, configs::SchedulerPolicy policy) {
  SmConfig config;
  config.issue_width = issue_width;
  config.scheduler = policy;
  config.units.assign(units, {configs::UnitScope::sm, 1});
  return config;
}

// `ctas` CTAs of `warps` warps each, `resident` at a time, that run `ops` `repeats` times. Operation i writes
// slot i. With `chained` the first operation of a repeat depends on the last of the one before.
inline SmWorkload workload(const SmConfig& config, const std::vector<Op>& ops, std::uint64_t repeats,
                           std::uint32_t resident, std::uint64_t ctas, bool chained = false,
                           std::uint32_t warps = 1) {
  SmProgram program;
  program.barrier_uses = {{}};
  for (std::size_t i = 0; i < ops.size(); ++i) {
    SmOp op;
    op.latency = ops[i].latency;
    op.issue_interval = ops[i].issue_interval;
    op.unit = ops[i].unit;
    op.cross_latency = ops[i].cross_latency;
    op.kind = ops[i].barrier ? SmOpKind::barrier : SmOpKind::compute;
    op.slots = static_cast<std::uint32_t>(program.slots.size());
    program.slots.insert(program.slots.end(), ops[i].after.begin(), ops[i].after.end());
    if (i == 0 && chained)
      program.slots.push_back(static_cast<std::uint16_t>(ops.size() - 1));
    op.source_count = static_cast<std::uint8_t>(program.slots.size() - op.slots);
    program.slots.push_back(static_cast<std::uint16_t>(i));
    op.destination_count = 1;
    program.ops.push_back(op);
  }
  program.slot_count = static_cast<std::uint32_t>(ops.size());
  program.loop_depth = 1;
  program.path_start = {0};
  program.steps.push_back({.kind = Step::Kind::run, .end_op = static_cast<std::uint32_t>(ops.size())});
  program.steps.push_back({.kind = Step::Kind::loop_end, .count = repeats});
  program.steps.push_back({.kind = Step::Kind::finish});
  SmWorkload w;
  w.config = config;
  w.program = std::make_shared<const SmProgram>(std::move(program));
  w.kinds = {{std::vector<std::uint32_t>(warps, 0)}};
  w.ctas = {{0, ctas}};
  w.resident_ctas = resident;
  return w;
}

} // namespace kerncast::engine::toy
