// Small GPUs whose SMs run lists of accesses with addresses: one warp per CTA, every access waits for the one
// before it.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "pdes/gpu.h"
#include "unit/hit_rates/synthetic_launch.h"

namespace kerncast::pdes {

// Cycles after issue that L1, L2 and DRAM answer if nothing else is under way.
inline constexpr double l1_answers = 30, l2_answers = 200, dram_answers = 400;

// L1 of 16 lines, L2 of 64 lines in one slice, ten cycles away; any number of misses under way, no limits of
// bandwidth.
inline configs::Gpu gpu_with_caches(std::uint32_t sms = 1) {
  configs::Gpu gpu = hit_rates::small_gpu(sms);
  gpu.l1_caches_global = true;
  gpu.l1.latency = l1_answers;
  return gpu;
}

// Task t of hit_rates::Kernel::operations is operation t of the program and has request t.
class LinesWorkload {
public:
  LinesWorkload(const configs::Gpu& gpu, hit_rates::Kernel kernel)
      : gpu_(gpu), kernel_(std::move(kernel)), list_(hit_rates::list_of(kernel_.operations)) {
    launch_.grid.x = static_cast<std::uint32_t>(kernel_.ctas);
    launch_.block.x = tasklist::lanes_per_warp;
  }

  // Refers to this object.
  GpuWorkload workload() const&& = delete;
  GpuWorkload workload() const& {
    GpuWorkload out;
    out.surroundings.sms = gpu_.sms;
    out.surroundings.one_way = out.surroundings.lookahead = engine::begin_of(10);
    out.sm.config.units = {{configs::UnitScope::sm, 1}};
    out.sm.config.scheduler = configs::SchedulerPolicy::oldest;
    out.sm.resident_ctas = kernel_.ctas_per_sm;
    out.sm.program = std::make_shared<const engine::SmProgram>(program(out.sm));
    machine::MachineProgram machine;
    for (std::uint32_t t = 0; t < list_.tasks.size(); ++t) {
      machine::MachineOp op;
      op.kind = machine::OpKind::memory;
      op.task_kind = list_.tasks[t].kind;
      op.space = list_.tasks[t].space;
      op.task = t;
      machine.ops.push_back(op);
    }
    out.lines =
        std::make_shared<hit_rates::LaunchLines>(std::make_unique<hit_rates::SyntheticSource>(kernel_.of_cta),
                                                 list_, machine, launch_, kernel_.ctas_per_sm, gpu_);
    return out;
  }
  const tasklist::Tasklist& list() const { return list_; }

private:
  // CTAs that do the same operations are of one kind.
  engine::SmProgram program(engine::SmWorkload& sm) const {
    using engine::Step;
    engine::SmProgram program;
    program.slot_count = 1;
    program.slots = {0, 0};
    for (std::uint16_t t = 0; t < list_.tasks.size(); ++t) {
      engine::SmOp op{.kind = engine::SmOpKind::memory, .access = t};
      op.returns_data = list_.tasks[t].kind != tasklist::TaskKind::store;
      op.source_count = 1;
      op.destination_count = op.returns_data ? 1 : 0;
      program.ops.push_back(op);
      program.requests.push_back(
          {.sectors = 4,
           .levels = {{{0, l1_answers, 0, 0}, {0, l2_answers, 128, 0}, {1, dram_answers, 128, 128}}}});
      program.request_pool.push_back(t);
    }
    std::map<std::vector<std::uint32_t>, std::uint32_t> kinds; // by operations
    for (std::uint64_t cta = 0; cta < kernel_.ctas; ++cta) {
      std::vector<std::uint32_t> ops;
      for (const hit_rates::Access& access : kernel_.of_cta(cta))
        ops.push_back(access.task);
      const auto [kind, is_new] = kinds.try_emplace(ops, static_cast<std::uint32_t>(sm.kinds.size()));
      sm.ctas.push_back({kind->second, 1});
      if (!is_new)
        continue;
      sm.kinds.push_back({{static_cast<std::uint32_t>(program.path_start.size())}});
      program.path_start.push_back(static_cast<std::uint32_t>(program.steps.size()));
      for (const std::uint32_t op : ops)
        program.steps.push_back({.kind = Step::Kind::run, .first_op = op, .end_op = op + 1});
      program.steps.push_back({.kind = Step::Kind::finish});
    }
    return program;
  }

  configs::Gpu gpu_;
  hit_rates::Kernel kernel_;
  tasklist::Tasklist list_;
  tasklist::Launch launch_;
};

} // namespace kerncast::pdes
