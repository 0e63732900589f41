// The state of one SM during a simulation. See sm.cpp for the rules.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "cache_lines.h"
#include "dependent_grids.h"
#include "engine/sm_time.h"
#include "engine/sm_workload.h"
#include "engine/stepped_sm.h"
#include "instruction_cache.h"
#include "level_draw.h"
#include "memory_pipeline.h"
#include "residency_bins.h"
#include "turn.h"
#include "wake_wheel.h"

namespace kerncast::engine {

inline constexpr std::uint32_t max_units = 64;
inline constexpr std::uint32_t no_slot = max_warps_per_sub_core;
inline constexpr std::uint32_t no_barrier = UINT32_MAX;

struct OpCharges;
class TraceRecorder;

// An operation laid out for the inner loop, in one line of a cache: up to four sources and one destination
// without a loop. Absent sources are the scoreboard's zero slot, an absent destination its discard slot.
struct alignas(64) HotOp {
  static constexpr std::uint32_t inline_sources = 4;

  Time latency = 0;
  Time issue_interval = one_cycle;
  OpCharges* charges = nullptr;
  Time port_time = 0; // memory: one wavefront holds a port so long
  std::uint16_t sources[inline_sources] = {};
  std::uint16_t destination = 0;
  std::uint16_t unit = 0;
  std::uint16_t access = 0;
  SmOpKind kind = SmOpKind::compute;
  WarpState waits_as = WarpState::wait;
  WarpState throttled_as = WarpState::not_selected; // while the unit is held by others
  bool returns_data = false;
  AsyncKind async = AsyncKind::none;
  bool plain = false;          // arithmetic with one result, on a unit that has one pipeline and no queue
  bool local = false;          // plain, and nothing that other sub-cores could notice
  bool plain_access = false;   // of memory, with one result that is awaited, on a unit that has one pipeline
  bool plain_operands = false; // what it waits for are its inline sources
  std::uint16_t more_sources = 0;      // beyond the inline ones
  std::uint16_t more_destinations = 0; // beyond the first
  std::uint32_t more = 0;              // in SmProgram::slots: more sources, then more destinations
};

// How often an operation issued, and the warp time charged on its way to issue. The ends of the parts of a
// wait are summed, modulo 2^64, instead of the parts: the difference of two sums is what was charged to a
// part. The first line of a cache is what most instructions need: the first states are the frequent ones.
struct alignas(64) OpCharges {
  std::uint64_t issued = 0;
  std::uint64_t operands_end = 0;       // of the wait for operands; charged by its reason below
  std::uint64_t unit_end = 0;           // of the wait for the unit
  std::uint64_t selected = 0;           // of the wait for the scheduler's choice
  std::array<Time, warp_states> time{}; // waits for operands and what is charged elsewhere
  std::uint64_t distance_end = 0;       // of the wait for the issue distance
  std::uint64_t issued_until = 0;       // of the issue
};

// The pipelines of a unit that has several, in one sub-core or in the SM: when each takes another
// instruction.
struct Pipelines {
  std::vector<Time> free_at;
  // The one that is free first.
  Time& first();
};

// The first line of a cache is what every instruction needs.
struct alignas(64) Warp {
  const HotOp* op = nullptr;     // next to issue; null at the end of the path
  const HotOp* end_op = nullptr; // of the current step
  Time* ready_at = nullptr;      // scoreboard: per slot, with the reason that a wait for it is charged to
  Time operands = 0;             // when the sources of `op` are ready, with the reason
  Time earliest = 0;             // by issue distance, launch or barrier
  Time charged_to = 0;           // time before this is charged
  Time completed = 0;            // last completion of any op, with the reason
  std::uint32_t step = 0;        // current run step
  std::uint32_t requests = 0;    // of the current step, in SmProgram::request_pool
  Time memory_completed = 0;
  Time began = 0;
  std::uint64_t draw = 0;         // of the warp in its iterations: see level_draw.h
  const HotOp* barrier = nullptr; // at which it waits
  Time waits_since = 0;           // there
  std::uint32_t waits_at = 0;     // which of the CTA's barriers that is
  bool only_waits = false;        // without having arrived
  bool waited_for_primary = false;
  std::uint32_t announced_at = no_barrier; // the barrier to which its copies deliver
  std::uint32_t cta = 0;                   // CTA slot
  std::uint32_t rank = 0;                  // in its sub-core
  std::uint32_t awaited = 0;               // accesses whose data come at a time that others tell
  std::uint32_t awaited_copies = 0;        // of these, asynchronous ones
  const HotOp* last = nullptr;             // its last operation, if only such data keep it from ending
};

struct Cta {
  std::uint32_t warps = 0;
  std::uint32_t live_warps = 0;
  std::uint32_t waiting = 0;        // warps, at barriers
  std::uint32_t draining_warps = 0; // no longer alive, but awaiting data
  // Copies with or before an arrival at a barrier, which come at a time that others tell.
  std::uint32_t awaited_deliveries = 0;
  bool is_of_first_wave = false;
  Time end = 0;
  Time triggered = DependentGrids::never; // its first launch_dependents
};

// One barrier of one CTA: its current phase, and how many have ended.
struct Barrier {
  std::uint32_t arrived = 0;
  std::uint32_t expected = 0; // 0: all live warps
  std::uint64_t announced_bytes = 0;
  std::uint64_t delivered_bytes = 0;
  Time last_arrival = 0; // or delivery
  std::uint32_t phases = 0;
  Time ended_at = 0; // the last of them
};

// When a result is there for operations of the unit that produced it, and for those of others.
struct CrossTimes {
  Time same = 0;
  Time other = 0;
  std::uint16_t unit = 0;
};

// The units as one sub-core sees them. One array for each member: an element is one addressing mode away.
struct UnitStates {
  std::uint32_t count = 0;
  std::array<std::uint64_t, max_units> next_here{}; // warps, awake or not, whose next op goes there
  std::array<Time*, max_units> free_at{};           // of a unit of the whole SM: every sub-core's
};

// What a scheduler looks at and changes in every cycle. As long as nobody else looks it works on a copy,
// which stays in registers.
struct SchedulerState {
  std::uint64_t awake = 0;        // warps whose next op has its operands; its unit may turn out to be held
  std::int64_t acted = -1;        // last cycle in which it looked for warps that can issue
  std::uint32_t last_issued = 63; // rank
  WakeWheel::Front front;         // of the wheel of its warps that are not awake

  void wake(WakeWheel& wheel, std::int64_t now) {
    awake |= wheel.take(front, now);
    acted = now;
  }
};

// Its warp slots have ranks, which are bits of masks: their own order or, if the policy is by age, that of
// their warps.
struct SubCore {
  SchedulerState state;
  std::uint32_t chosen = no_slot; // rank
  std::int64_t next_slot = 0;     // cycle of the next issue slot
  std::uint32_t slots = 0;        // that CTAs use
  WakeWheel wheel;                // of the warps that are not awake
  UnitStates units;
  std::array<Warp*, max_warps_per_sub_core> warps{};        // by rank
  std::array<Time*, max_warps_per_sub_core> unit_free_at{}; // by rank: of the unit of the next op
  std::array<bool, max_warps_per_sub_core> is_local{};      // by rank: the next op

  // The warp of that rank has come to `op`.
  void want(std::uint32_t rank, const HotOp& op) {
    units.next_here[op.unit] |= std::uint64_t{1} << rank;
    unit_free_at[rank] = units.free_at[op.unit];
    is_local[rank] = op.local;
  }
  // Its next op, which is `op`, issues. `current`: the state, or the copy of it that is worked on.
  void take(SchedulerState& current, std::uint32_t rank, const HotOp& op) {
    const std::uint64_t others = ~(std::uint64_t{1} << rank);
    current.last_issued = rank;
    current.awake &= others;
    units.next_here[op.unit] &= others;
  }
  void wake(std::int64_t now) { state.wake(wheel, now); }
  // Nobody that could issue, now or until `end`, wants another unit. One branch: each part is as likely as
  // not.
  bool wants_only(std::uint32_t unit, std::int64_t now, std::int64_t end) const {
    const int others = (state.awake & ~units.next_here[unit]) != 0;
    return (others | int{WakeWheel::wakes(state.front, now, end)}) == 0;
  }
  // Its next op is to issue when the other sub-cores have come so far.
  void choose(std::uint32_t rank) {
    state.awake |= std::uint64_t{1} << rank;
    chosen = rank;
  }
  // The same, where until `cycle` there is nothing else to do.
  void choose_later(std::uint32_t rank, std::int64_t cycle) {
    chosen = rank;
    state.acted = cycle;
  }
  // The slot of that rank gets a warp that is younger than all others. Returns its new rank.
  std::uint32_t make_youngest(std::uint32_t rank);
};

// Schedulers that issue at most one instruction, in any cycle: the common case, which the inner loop
// exploits.
inline bool issues_one_a_cycle(const SmConfig& config) {
  return config.issue_width == 1 && !config.dual_issue && config.issue_interval == 1;
}

// What a run's schedulers have to look at, decided once per run.
enum class Pace : std::uint8_t {
  any,
  one_a_cycle, // at most one instruction of a scheduler, in any cycle
  lean, // and a warp may issue again one cycle later: its time is always charged up to its earliest issue
};

inline Pace pace_of(const SmConfig& config) {
  if (!issues_one_a_cycle(config))
    return Pace::any;
  return config.warp_issue_distance == 1 ? Pace::lean : Pace::one_a_cycle;
}

class Sm {
public:
  // `trace`: gets what happens if the policy is Observed, else null. `remote_sm`: the number of an SM whose
  // CTAs and misses are somebody else's business.
  explicit Sm(const SmWorkload& workload, TraceRecorder* trace = nullptr,
              std::optional<std::uint32_t> remote_sm = {});
  // The one that a run must have.
  Pace pace() const {
    return trace_ == nullptr ? pace_of(config_) : std::min(Pace::one_a_cycle, pace_of(config_));
  }
  template <class Policy, Pace pace> SmResult run();

  // Of an SM that places CTAs itself, piece by piece: `begin`, then up to the CTA of that number (from 0).
  void begin();
  template <class Policy, Pace pace> void run_to_cta(std::uint64_t number);
  // A copy that goes on with these CTAs, which begin with those that were placed so far.
  Sm with(const std::vector<CtaRun>& ctas) const;
  std::uint64_t issued() const;

  // Of a remote SM: see SteppedSm.
  void decide_by(KnownAccesses* known);
  template <class Policy, Pace pace> void run_until(std::int64_t end);
  std::int64_t next_cycle() const;
  struct Placement {
    std::uint32_t slot = 0;
    std::uint32_t kind = 0;
    Time at = 0;
    Time begin = 0;
  };
  void place(const Placement& placement);
  void arrive(std::uint32_t number, Time at, std::int64_t now);
  std::vector<EndedCta>& ended() { return ended_; }
  std::vector<SmMiss>& misses() { return memory_.remote().departed(); }
  SmResult result() const;

private:
  // The loop over sub-cores' turns goes in steps of so many.
  static constexpr std::uint32_t sub_cores_at_once = 4;

  // A memory operation whose data come at a time that others tell.
  struct Awaited {
    Warp* warp = nullptr; // null: nobody waits for that number
    const HotOp* op = nullptr;
    std::uint32_t group = 0; // of its kind that it belongs to, counted from the first; or the barrier
    std::uint64_t bytes = 0; // to the barrier
  };
  struct LateArrival { // at a barrier, when the warp's copies have ended
    Warp* warp = nullptr;
    std::uint32_t use = 0;
    Time start = 0;
  };

  Sm(const Sm& other) = default;
  // sm_copy.cpp
  Sm copy() const;
  void point_into_itself(const Sm& copied);

  // sm_build.cpp: layout
  void build_ops();
  // `by_consumer`: when operands are there depends on more than the scoreboard.
  HotOp build_op(const SmOp& op, bool by_consumer) const;
  void build_units();
  void mark_local_ops();
  void build_warps();
  void build_barriers_and_groups();

  // sm_lookahead.cpp
  bool barriers_end_with_arrivals() const;
  std::vector<std::uint64_t> arrivals_of_paths() const;
  std::int64_t lookahead() const;

  // sm_ctas.cpp: CTAs, their warps and their barrier
  bool next_kind(std::uint32_t& kind);
  void go_on_with(const std::vector<CtaRun>& ctas);
  void place_cta(std::uint32_t slot, Time at, std::int64_t now);
  void begin_cta(std::uint32_t slot, std::uint32_t kind, Time begin, std::int64_t now);
  bool ranks_by_age() const;
  void start_warp(std::uint32_t index, std::uint32_t cta, std::uint32_t path, Time begin, std::int64_t now);
  void leave(Warp& warp, const HotOp& last, Time issued, std::int64_t now);
  void finish_warp(Warp& warp, const HotOp* last);
  void end_warp(Warp& warp, const HotOp* last);
  void end_cta(std::uint32_t slot);
  void place_ctas();
  void replace_ended_ctas(std::int64_t now);
  void wake_later(const Warp& warp, Time at, std::int64_t now);
  Warp& warp_of(std::uint32_t index) {
    return warps_[index % sub_cores_ * max_warps_per_sub_core + index / sub_cores_];
  }
  // A CTA's warps, in their order. The place of the first is divided for all of them.
  template <class Visit> void visit_warps(std::uint32_t cta, const Visit& visit) {
    std::uint32_t sub_core = cta * warps_per_slot_ % sub_cores_;
    std::uint32_t slot = cta * warps_per_slot_ / sub_cores_;
    for (std::uint32_t i = 0; i < ctas_[cta].warps; ++i) {
      visit(warps_[sub_core * max_warps_per_sub_core + slot]);
      if (++sub_core == sub_cores_) {
        sub_core = 0;
        ++slot;
      }
    }
  }
  std::size_t place_of(const Warp& warp) const { return static_cast<std::size_t>(&warp - warps_.data()); }
  std::uint32_t sub_core_of(const Warp& warp) const {
    return static_cast<std::uint32_t>(place_of(warp) / max_warps_per_sub_core);
  }
  std::uint32_t index_of(const Warp& warp) const {
    const auto slot = static_cast<std::uint32_t>(place_of(warp) % max_warps_per_sub_core);
    return slot * sub_cores_ + sub_core_of(warp);
  }
  const SmOp& cold(const HotOp& op) const {
    return program_.ops[static_cast<std::size_t>(&op - ops_.data())];
  }

  // sm_barriers.cpp
  void execute_barrier(Warp& warp, const HotOp& op, Time start, std::int64_t now);
  void arrive_at_barrier(Warp& warp, const BarrierUse& use, Time at);
  void deliver(std::uint32_t cta, std::uint32_t barrier, std::uint64_t bytes, Time done, std::int64_t now);
  std::uint64_t delivered_bytes(const Warp& warp, const HotOp& op) const;
  void wait_at_barrier(Warp& warp, std::int64_t now);
  void settle_barriers(std::uint32_t cta, std::int64_t now);
  bool phase_is_complete(const Barrier& barrier, std::uint32_t cta) const;
  void end_phase(std::uint32_t cta, std::uint32_t barrier, std::int64_t now);
  void break_barrier(std::uint32_t cta, std::int64_t now);
  void let_go(Warp& warp, Time ended, std::int64_t now);
  Barrier& barrier_of(std::uint32_t cta, std::uint32_t barrier) {
    return barriers_[cta * barriers_per_cta_ + barrier];
  }
  bool ends_at_last_issue() const { return config_.warp_end == configs::WarpEnd::last_issue; }
  std::uint32_t& waits_done_of(const Warp& warp) {
    return waits_done_[place_of(warp) * barriers_per_cta_ + warp.waits_at];
  }

  // sm_async.cpp: groups, limited loads, operands that depend on more than the scoreboard
  Time late_operands(Warp& warp, const HotOp& op);
  Time cross_operands(const Warp& warp, const SmOp& op, std::uint16_t unit) const;
  Time fetch(Warp& warp, const HotOp& op);
  Time end_of_groups(const Warp& warp, AsyncKind kind, std::uint16_t keep) const;
  void commit_group(Warp& warp, AsyncKind kind);
  void join_group(Warp& warp, AsyncKind kind, Time done);
  Time* groups_of(const Warp& warp, AsyncKind kind);
  std::uint32_t committed_of(const Warp& warp, AsyncKind kind) const {
    return committed_[place_of(warp) * async_groups + static_cast<std::size_t>(kind) - 1];
  }
  void note_load(const Warp& warp, Time done);
  void forget_warp(Warp& warp);

  // sm_remote.cpp: data that come at a time that others tell
  Time serve_known(const Warp& warp, const HotOp& op, Time start);
  void await(Warp& warp, const HotOp& op, Time unknown);
  void go_on(Warp& warp, std::int64_t now);
  void forget_awaited(std::uint32_t cta);
  void replace_unknown(Warp& warp, const HotOp& op, Time unknown, Time done);
  bool awaits_copies(const Warp& warp, AsyncKind kind, std::uint16_t keep) const;
  void end_of_copy(Warp& warp, AsyncKind kind, std::uint32_t group, Time done, std::int64_t now);

  // sm.cpp: the schedulers
  Turn next_turn() const;
  Turn turn_of(std::uint32_t sub_core, std::int64_t cycle) const;
  bool places_before(const Turn& turn) const;
  template <class Policy, Pace pace> void take_turns(std::int64_t end);
  // Other sub-cores notice nothing before this cycle.
  std::int64_t horizon(std::int64_t now) const { return std::min(now + lookahead_, stop_); }
  template <class Policy, Pace pace> std::int64_t run_ahead(SubCore& core, std::int64_t now);
  template <class Policy, Pace pace>
  std::int64_t run_from(SubCore& core, std::uint32_t rank, std::int64_t now);
  template <class Policy, Pace pace>
  bool issue_first(SubCore& core, std::uint32_t rank, std::int64_t& cycle, std::int64_t end);
  template <class Policy, Pace pace>
  bool issue_local(SubCore& core, SchedulerState& ahead, std::uint32_t rank, std::int64_t& cycle,
                   std::int64_t end);
  template <class Policy> static std::uint32_t pick(SubCore& core, SchedulerState& state, std::int64_t now);
  template <class Policy> std::int64_t issue_several(SubCore& core, std::int64_t now);

  // sm_issue.h: one instruction
  template <class Policy, Pace pace> std::int64_t issue(SubCore& core, std::uint32_t rank, std::int64_t now);
  template <class Policy, Pace pace>
  Time execute_next(SubCore& core, Warp& warp, const HotOp& op, Time& free_at, std::int64_t now);
  void advance(Warp& warp);
  template <Pace pace> std::int64_t next_issue(Warp& warp, Time issued, Time unit_free_at);
  static void execute_plain(Warp& warp, const HotOp& op, Time& unit_free_at, Time start);
  void execute_access(Warp& warp, const HotOp& op, Time& unit_free_at, Time issued);
  Time serve(const Warp& warp, const HotOp& op, Time start);
  Time held_interval(const Warp& warp, const HotOp& op) const;
  Time hold(const Warp& warp, const HotOp& op, Time& unit_free_at, Time issued);
  bool pairs(const SubCore& core, Warp& warp, std::int64_t now);
  Time find_operands(Warp& warp);
  template <Pace pace> Time charge_issue(Warp& warp, const HotOp& op, Time unit_free_at, std::int64_t now);
  static Time start_of(const Warp& warp, Time unit_free_at, std::int64_t now);

  // sm_trace.cpp
  void observe_issue(const SubCore& core, const Warp& warp, Time start) const;
  void observe_wait(const Warp& warp, const HotOp& op, WarpState state, Time until) const;

  // sm_warp.cpp: what is rarer
  void execute(SubCore& core, Warp& warp, const HotOp& op, Time issued, std::int64_t now);
  void note_wait_for_primary(Warp& warp, Time issued);
  Time hold_unit(SubCore& core, const Warp& warp, const HotOp& op, Time issued);
  void execute_memory(Warp& warp, const HotOp& op, Time start, std::int64_t now);
  void execute_compute(Warp& warp, const HotOp& op, Time start, std::int64_t now);
  // `bytes`: to the barrier that waits for it.
  void end_asynchronously(Warp& warp, const HotOp& op, std::uint64_t bytes, Time done, std::int64_t now);
  void write_results(Warp& warp, const HotOp& op, Time done, Time done_elsewhere);
  void write_slots(Warp& warp, const HotOp& op, Time done, Time done_elsewhere);
  void write_slot(Warp& warp, const HotOp& op, std::uint16_t slot, Time done, Time done_elsewhere);
  void enter_step(Warp& warp, std::uint32_t step);

  const SmWorkload& workload_;
  const SmConfig& config_;
  const SmProgram& program_;
  std::uint32_t sub_cores_;
  std::uint32_t rotation_mask_ = 0; // sub-cores less one if they are a power of two, else 0
  std::uint32_t units_;
  std::uint32_t warps_per_slot_; // a CTA of more has several neighbouring slots, and the number of the first
  Time issue_distance_;
  std::vector<HotOp, CacheLines<HotOp>> ops_;
  std::vector<OpCharges, CacheLines<OpCharges>> charges_; // per op
  std::vector<SubCore> cores_;
  std::vector<Turn> turns_;              // per sub-core: its next; filled up to whole steps
  std::uint32_t at_turn_ = 0;            // the sub-core whose turn it is
  Turn others_turn_;                     // the first of all others'
  std::int64_t now_ = -1;                // the cycle in which a sub-core's turn began last
  std::int64_t lookahead_ = 1;           // cycles
  std::int64_t stop_ = WakeWheel::never; // the cycle before which the run stops
  // Per unit and sub-core: when it takes another instruction, before it is free if its queue has room. Of
  // units of the SM: that of sub-core 0.
  std::vector<Time> unit_free_at_;
  std::vector<Time> queues_;                  // per unit: instructions may issue so long before it is free
  std::vector<Time> not_held_;                // per unit: of the issue intervals, by accesses that only issue
  std::vector<Warp, CacheLines<Warp>> warps_; // by sub-core, then by slot
  std::vector<Cta> ctas_;
  std::vector<Pipelines> pipelines_; // per unit and sub-core: used where a unit has several pipelines
  std::vector<Time> ready_at_;
  std::vector<CrossTimes> cross_times_; // as ready_at_, if any operation has a cross latency
  std::uint32_t barriers_per_cta_ = 0;
  std::vector<Barrier> barriers_;           // by CTA slot
  std::vector<std::uint32_t> waits_done_;   // by warp and barrier: waits without arrival
  std::uint32_t groups_kept_ = 0;           // of each kind
  std::vector<Time> groups_;                // by warp and kind: the open group, then see commit_group
  std::vector<std::uint32_t> committed_;    // by warp and kind: groups
  std::vector<Time> loads_;                 // by warp: when the last loads_per_warp loads return, in a ring
  std::vector<std::uint64_t> loads_issued_; // by warp
  std::vector<std::uint32_t> fetched_line_; // by warp: the line of its next instruction
  std::vector<Time> fetched_at_;            // and when that is there
  std::vector<Awaited> awaited_;            // by number of the miss
  std::vector<LateArrival> late_arrivals_;
  std::uint64_t broken_barriers_ = 0;
  std::vector<std::uint64_t> loop_counters_;         // per warp and depth
  bool replaces_ctas_;                               // else somebody else does
  std::vector<EndedCta> ended_;                      // CTAs that end, to be replaced; a heap, earliest first
  std::deque<Placement> placements_;                 // that somebody else decided
  std::int64_t next_replacement_ = WakeWheel::never; // cycle of the earliest of either
  DependentGrids dependents_;
  InstructionCache instructions_;
  MemoryPipeline memory_;
  KnownAccesses* known_ = nullptr;      // null: rates decide
  Time next_launch_ = 0;                // before which no CTA is placed
  std::uint64_t begun_ = 0;             // warps; of a remote SM its number more
  std::uint64_t placed_ = 0;            // CTAs
  const std::vector<CtaRun>* sequence_; // of those that it places
  std::size_t run_ = 0;                 // position there
  std::uint64_t run_done_ = 0;
  Time last_end_ = 0;
  Time resident_time_ = 0; // summed over warps
  ResidencyBins residency_;
  TraceRecorder* trace_;
  std::uint64_t issue_cycles_ = 0; // where a scheduler may issue several instructions a cycle
};

} // namespace kerncast::engine
