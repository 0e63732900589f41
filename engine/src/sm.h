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

inline constexpr std::uint32_t max_units = 64;

// Times are never negative, so truncation is the floor.
inline std::int64_t cycle_of(double time) { return static_cast<std::int64_t>(time); }

// An operation laid out for the inner loop: up to four sources and one destination without a loop. Absent
// sources are the scoreboard's zero slot, an absent destination its discard slot.
struct HotOp {
  static constexpr std::uint32_t inline_sources = 4;

  double latency = 0;
  double issue_interval = 1;
  double port_cycles = 0; // memory: one wavefront holds a port so long
  std::uint16_t unit = 0;
  std::uint16_t access = 0;
  SmOpKind kind = SmOpKind::compute;
  WarpState waits_as = WarpState::wait;
  WarpState throttled_as = WarpState::not_selected; // while the unit is held by others
  bool returns_data = false;
  std::uint16_t sources[inline_sources] = {};
  std::uint16_t destination = 0;
  std::uint16_t more_sources = 0;      // beyond the inline ones
  std::uint16_t more_destinations = 0; // beyond the first
  std::uint32_t more = 0;              // in SmProgram::slots: more sources, then more destinations
};

// The pipelines of one unit in one sub-core, or in the SM.
struct UnitState {
  double earliest = 0;                  // when the first pipeline is free
  std::vector<double> pipeline_free_at; // of units with several pipelines

  // Holds the pipeline that is free first from `start` on.
  void hold(double start, double cycles);
};

struct Warp {
  const HotOp* op = nullptr;
  const HotOp* end_op = nullptr; // of the current step
  double* ready_at = nullptr;    // scoreboard: per slot
  WarpState* reasons = nullptr;  // per slot: how a wait for it is charged
  double earliest = 0;           // by issue distance, launch or barrier
  double operands = 0;           // when the sources of the current op are ready
  double charged_to = 0;         // cycles before this are charged
  double completed = 0;          // last completion of any op
  double memory_completed = 0;
  double began = 0;
  std::uint32_t step = 0; // current run step
  std::uint32_t requests = 0;
  std::uint32_t cta = 0; // CTA slot
  std::uint32_t sub_core = 0;
  std::uint32_t bit = 0;                    // in the sub-core's masks
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
  std::int64_t next_event = WakeWheel::never;
  std::uint32_t last_issued = 63;
  std::array<std::uint64_t, max_units> ready{}; // per unit: warps whose next op goes there, operands there
  std::array<UnitState*, max_units> units{};    // this sub-core's own or the SM's
  std::array<std::uint64_t, 64> ages{};
  WakeWheel wheel;
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

  // sm_build.cpp: layout
  void build_ops();
  void build_units();
  void build_warps();

  // sm_ctas.cpp: CTAs, their warps and their barrier
  bool next_kind(std::uint32_t& kind);
  void place_cta(std::uint32_t slot, double at, std::int64_t now);
  void start_warp(std::uint32_t index, std::uint32_t path, double begin, std::int64_t now);
  void finish_warp(Warp& warp, std::int64_t now);
  void replace_ended_ctas(std::int64_t now);
  void arrive_at_barrier(Warp& warp, double latency, double start);
  void release_barrier(std::uint32_t slot, std::int64_t now);

  // sm.cpp: one scheduler, one cycle
  void run_sub_core(std::uint32_t sub_core, std::int64_t now);
  std::uint64_t candidates(const SubCore& core, double cycle_end) const;
  std::int64_t next_event(const SubCore& core, std::int64_t now) const;

  // sm_warp.cpp: one warp
  void issue(Warp& warp, std::int64_t now, bool may_pair);
  void execute(Warp& warp, const HotOp& op, double start);
  void enter_step(Warp& warp, std::uint32_t step);
  void find_operands(Warp& warp) const;
  WarpState operand_wait(const Warp& warp) const;
  void wait_for_operands(Warp& warp, std::int64_t now);
  bool can_pair(const Warp& warp, std::int64_t now) const;
  void charge_until_issue(Warp& warp, const HotOp& op, double start, double unit_free_at);
  void charge(WarpState state, double cycles) {
    result_.warp_state_cycles[static_cast<std::size_t>(state)] += cycles;
  }
  void complete(Warp& warp, double when, WarpState as);
  bool finished(const Warp& warp) const { return program_.steps[warp.step].kind == Step::Kind::finish; }

  const SmWorkload& workload_;
  std::uint32_t (*pick_)(const SchedulerView&);
  const SmConfig& config_;
  const SmProgram& program_;
  std::uint32_t sub_cores_;
  std::uint32_t units_;
  std::uint32_t warps_per_cta_;
  std::vector<HotOp> ops_;
  std::vector<SubCore> cores_;
  std::vector<Warp> warps_;
  std::vector<Cta> ctas_;
  std::vector<UnitState> unit_states_;
  std::vector<double> ready_at_;
  std::vector<WarpState> reasons_;
  std::vector<std::uint64_t> loop_counters_; // per warp and depth
  std::vector<CtaEnd> ended_;                // CTAs that end, to be replaced; a heap, earliest first
  MemoryPipeline memory_;
  std::size_t run_ = 0; // position in workload_.ctas
  std::uint64_t run_done_ = 0;
  std::uint64_t next_age_ = 0;
  double last_end_ = 0;
  SmResult result_;
};

} // namespace kerncast::engine
