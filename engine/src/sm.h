// The state of one SM during a simulation. See sm.cpp for the rules.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/sm_workload.h"
#include "memory_pipeline.h"
#include "policies/policy.h"
#include "wake_wheel.h"

namespace kerncast::engine {

// Times are never negative, so truncation is the floor.
inline std::int64_t cycle_of(double time) { return static_cast<std::int64_t>(time); }

// The pipelines of one unit in one sub-core, or in the SM.
struct UnitState {
  std::vector<double> pipeline_free_at;
  double earliest = 0; // the least of them

  // Holds the pipeline that is free first from `start` on.
  void hold(double start, double cycles);
};

struct Warp {
  std::uint32_t step = 0; // current run step
  std::uint32_t op = 0;
  std::uint32_t end_op = 0;
  std::uint32_t requests = 0;
  std::uint32_t cta = 0; // CTA slot
  std::uint32_t sub_core = 0;
  std::uint32_t bit = 0; // in the sub-core's masks
  double earliest = 0;   // by issue distance, launch or barrier
  double operands = 0;   // when the sources of the current op are ready
  double began = 0;
  double charged_to = 0; // cycles before this are charged
  double completed = 0;  // last completion of any op
  double memory_completed = 0;
  WarpState waits_for = WarpState::wait;    // why `operands` is when it is
  WarpState completes_as = WarpState::wait; // what `completed` was
  bool alive = false;
  bool at_barrier = false;
};

struct Cta {
  std::uint32_t live_warps = 0;
  std::uint32_t arrived = 0; // at the barrier
  double last_arrival = 0;
  double barrier_latency = 0;
  double end = 0;
};

struct SubCore {
  WakeWheel wheel;
  std::vector<std::uint64_t> ready; // per unit: warps whose next op goes there and has its operands
  std::uint64_t units_wanted = 0;   // units with ready warps
  std::array<std::uint64_t, 64> ages{};
  std::uint32_t last_issued = 63;
  std::int64_t next_event = WakeWheel::never;
};

class Sm {
public:
  Sm(const SmWorkload& workload, std::uint32_t (*pick)(const SchedulerView&));
  SmResult run();

private:
  struct CtaEnd {
    double end = 0;
    std::uint32_t slot = 0;
  };

  // sm_ctas.cpp: CTAs, their warps and their barrier
  bool next_kind(std::uint32_t& kind);
  void place_cta(std::uint32_t slot, double at);
  void start_warp(std::uint32_t index, std::uint32_t path, double begin);
  void finish_warp(std::uint32_t index, std::int64_t now);
  void replace_ended_ctas(std::int64_t now);
  void arrive_at_barrier(std::uint32_t index, const SmOp& op, double start);
  void release_barrier(std::uint32_t slot, std::int64_t now);

  // sm.cpp: one scheduler, one cycle
  void run_sub_core(std::uint32_t sub_core, std::int64_t now);
  std::uint64_t candidates(std::uint32_t sub_core, std::int64_t now) const;
  void update_next_event(std::uint32_t sub_core, std::int64_t now);

  // sm_warp.cpp: one warp
  void issue(std::uint32_t index, std::int64_t now, bool may_pair);
  void execute(Warp& warp, std::uint32_t index, const SmOp& op, double start);
  void enter_step(Warp& warp, std::uint32_t index, std::uint32_t step);
  void find_operands(Warp& warp, std::uint32_t index);
  void wait_for_operands(std::uint32_t index, std::int64_t now);
  bool can_pair(const Warp& warp, std::int64_t now) const;
  void charge_until_issue(Warp& warp, const SmOp& op, double start, double unit_free_at);
  void charge(WarpState state, double cycles) {
    result_.warp_state_cycles[static_cast<std::size_t>(state)] += cycles;
  }
  void complete(Warp& warp, double when, WarpState as);
  bool finished(const Warp& warp) const { return program_.steps[warp.step].kind == Step::Kind::finish; }

  std::size_t unit_index(std::uint32_t sub_core, std::uint32_t unit) const {
    return first_unit_state_[unit] + sub_core * unit_stride_[unit];
  }
  double* scoreboard(std::uint32_t warp) {
    return ready_at_.data() + std::size_t{warp} * program_.slot_count;
  }
  WarpState* reasons(std::uint32_t warp) { return reasons_.data() + std::size_t{warp} * program_.slot_count; }
  std::uint64_t* counters(std::uint32_t warp) {
    return loop_counters_.data() + std::size_t{warp} * program_.loop_depth;
  }

  const SmWorkload& workload_;
  std::uint32_t (*pick_)(const SchedulerView&);
  const SmConfig& config_;
  const SmProgram& program_;
  std::uint32_t sub_cores_;
  std::uint32_t warps_per_cta_;
  std::vector<SubCore> cores_;
  std::vector<Warp> warps_;
  std::vector<Cta> ctas_;
  std::vector<UnitState> units_;
  std::vector<std::size_t> first_unit_state_; // per unit
  std::vector<std::size_t> unit_stride_;      // per unit: 1 if every sub-core has its own, 0 if shared
  std::vector<double> port_cycles_;           // per unit: cycles on a memory port per cycle of issue interval
  std::vector<double> ready_at_;              // scoreboard: per warp and slot
  std::vector<WarpState> reasons_;
  std::vector<std::uint64_t> loop_counters_;
  std::vector<CtaEnd> ended_; // CTAs that end, to be replaced; a heap, earliest first
  MemoryPipeline memory_;
  std::size_t run_ = 0; // position in workload_.ctas
  std::uint64_t run_done_ = 0;
  std::uint64_t next_age_ = 0;
  double last_end_ = 0;
  SmResult result_;
};

} // namespace kerncast::engine
