#include "small_kernels.h"

#include <memory>

#include "engine/simulate_sm.h"

namespace kerncast::app {
namespace {

// Operation i writes slot i.
engine::SmProgram program_of(const SmallRun& run) {
  engine::SmProgram program;
  for (std::size_t i = 0; i < run.ops.size(); ++i) {
    const SmallOp& from = run.ops[i];
    engine::SmOp op;
    op.latency = from.latency;
    op.issue_interval = from.issue_interval;
    op.unit = from.unit;
    op.slots = static_cast<std::uint32_t>(program.slots.size());
    program.slots.insert(program.slots.end(), from.after.begin(), from.after.end());
    if (i == 0 && run.chained)
      program.slots.push_back(static_cast<std::uint16_t>(run.ops.size() - 1));
    op.source_count = static_cast<std::uint8_t>(program.slots.size() - op.slots);
    program.slots.push_back(static_cast<std::uint16_t>(i));
    op.destination_count = 1;
    program.ops.push_back(op);
  }
  const auto end = static_cast<std::uint32_t>(run.ops.size());
  program.slot_count = end;
  program.loop_depth = 1;
  program.path_start = {0};
  program.steps.push_back({.kind = engine::Step::Kind::run, .end_op = end});
  program.steps.push_back({.kind = engine::Step::Kind::loop_end, .count = run.repeats});
  program.steps.push_back({.kind = engine::Step::Kind::finish});
  return program;
}

} // namespace

double simulated_cycles(const SmallSm& sm, const SmallRun& run) {
  engine::SmWorkload workload;
  workload.config.issue_width = sm.issue_width;
  workload.config.scheduler = sm.scheduler;
  workload.config.units.assign(sm.units, {configs::UnitScope::sm, 1});
  workload.program = std::make_shared<const engine::SmProgram>(program_of(run));
  workload.kinds = {{{0}}};
  workload.ctas = {{0, run.warps}};
  workload.resident_ctas = run.resident;
  return engine::simulate_sm(workload).cycles;
}

} // namespace kerncast::app
