// One SM, event-driven. Time is real (in steps of 2^-15 cycles); a scheduler acts once a cycle.
//
// In cycle t a scheduler may issue up to issue_width instructions whose operands, warp and unit are free
// before t + 1. An instruction starts at the latest of t and those times, holds its unit for issue_interval
// and its results are ready `latency` later: fractional intervals and latencies keep their value over many
// instructions. A unit with a queue is free for issue as long before it is free, and the instruction starts
// when it is; the warp goes on meanwhile. Sub-cores take turns in being first in a cycle, since they share
// units of SM scope. An instruction fetch is free. A warp ends with its last completion, where a store
// completes when it starts; or, by SmConfig::warp_end, an interval after its last instruction issued,
// whatever is still under way. CTAs are placed as soon as the GPU can, issue first cta_launch_latency later,
// and are replaced when they end.
#include "sm_issue.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "cta_sequence.h"
#include "engine/simulate_plan.h"
#include "engine/simulate_sm.h"
#include "engine/sm_trace.h"
#include "first_ctas.h"
#include "loaded_latency.h"
#include "policies/gto.h"
#include "policies/gty.h"
#include "policies/lrr.h"
#include "policies/oldest.h"
#include "policies/two_level.h"
#include "steady.h"
#include "trace_recorder.h"

namespace kerncast::engine {

template <class Policy, Pace pace> SmResult Sm::run() {
  begin();
  run_until<Policy, pace>(WakeWheel::never);
  return result();
}

template <class Policy, Pace pace> void Sm::run_to_cta(std::uint64_t number) {
  while (true) {
    take_turns<Policy, pace>(WakeWheel::never);
    if (next_replacement_ == WakeWheel::never || placed_ + ended_.size() > number)
      break;
    place_ctas();
  }
}

inline Turn Sm::next_turn() const {
  const auto first_of = [](const Turn* turns) {
    return earlier(earlier(turns[0], turns[1]), earlier(turns[2], turns[3]));
  };
  Turn next = first_of(turns_.data());
  for (std::uint32_t i = sub_cores_at_once; i < sub_cores_; i += sub_cores_at_once)
    next = earlier(next, first_of(turns_.data() + i));
  return next;
}

std::int64_t Sm::next_cycle() const {
  const std::int64_t next = std::min(next_replacement_, next_turn().cycle());
  return next == WakeWheel::never ? INT64_MAX : next;
}

// CTAs are placed at the beginning of a cycle; those that end in it are replaced when all sub-cores have
// acted.
inline bool Sm::places_before(const Turn& turn) const {
  return next_replacement_ <= turn.cycle() && turn.cycle() > now_;
}

template <class Policy, Pace pace> void Sm::run_until(std::int64_t end) {
  stop_ = end;
  while (true) {
    take_turns<Policy, pace>(end);
    if (next_replacement_ >= end || !places_before(next_turn()))
      break;
    if constexpr (is_observed<Policy>)
      if (trace_->full())
        break;
    place_ctas();
  }
}

// Until `end`, or until CTAs are to be placed. Which sub-core is next does not wait for what a turn stores
// last: the first of the others is looked up before it, and the same one goes on as long as it is before
// them.
template <class Policy, Pace pace> [[gnu::flatten]] void Sm::take_turns(std::int64_t end) {
  const std::int64_t last = std::min(end, WakeWheel::never);
  for (Turn turn = next_turn();; turn = others_turn_) {
    at_turn_ = turn.sub_core();
    SubCore& core = cores_[turn.sub_core()];
    Turn& own = turns_[turn.sub_core()];
    own = Turn();
    others_turn_ = next_turn();
    do {
      const std::int64_t now = turn.cycle();
      bool waits = now >= last || places_before(turn);
      if constexpr (is_observed<Policy>)
        waits = waits || (now > now_ && trace_->full());
      if (waits) {
        own = turn;
        return;
      }
      now_ = now;
      turn = turn_of(at_turn_, pace == Pace::any ? issue_several<Policy>(core, now)
                                                 : run_ahead<Policy, pace>(core, now));
    } while (turn < others_turn_);
    own = turn;
  }
}

// One scheduler that issues one instruction a cycle, from `now` on: ahead of the other sub-cores as long as
// neither notices (sm_lookahead.cpp). Returns the cycle in which it must act again. Whatever a unit of the SM
// does until then, it cannot make another warp the policy's choice than one that does not need it. So the
// choice that was made for `now` before the others had come so far holds unless one of them holds the unit
// now; then it will hold when the unit is free if nobody here wants anything else.
template <class Policy, Pace pace> inline std::int64_t Sm::run_ahead(SubCore& core, std::int64_t now) {
  std::uint32_t rank = std::exchange(core.chosen, no_slot);
  if (rank == no_slot) {
    core.wake(now);
    rank = pick<Policy>(core, core.state, now);
  } else if (const std::int64_t free = cycle_of(*core.unit_free_at[rank]); free > now) {
    if (free < horizon(now) && core.wants_only(core.warps[rank]->op->unit, now, free)) {
      core.choose_later(rank, free);
      return free;
    }
    rank = pick<Policy>(core, core.state, now);
  }
  return run_from<Policy, pace>(core, rank, now);
}

// The same from the choice for `now` on, `no_slot` if nobody can issue.
template <class Policy, Pace pace>
inline std::int64_t Sm::run_from(SubCore& core, std::uint32_t rank, std::int64_t now) {
  const std::int64_t end = horizon(now);
  std::int64_t cycle = now;
  bool waits = rank != no_slot && issue_first<Policy, pace>(core, rank, cycle, end);
  SchedulerState ahead = core.state;
  if (waits) // for the others, unless they would not notice
    waits = !core.is_local[rank] || issue_local<Policy, pace>(core, ahead, rank, cycle, end);
  while (!waits) {
    cycle = ahead.awake != 0 ? cycle + 1 : WakeWheel::next(ahead.front, cycle);
    if (cycle >= end) {
      core.state = ahead;
      return cycle;
    }
    ahead.wake(core.wheel, cycle);
    rank = pick<Policy>(core, ahead, cycle);
    if (rank != no_slot)
      waits = !core.is_local[rank] || issue_local<Policy, pace>(core, ahead, rank, cycle, end);
  }
  core.state = ahead;
  core.choose(rank);
  return cycle;
}

// The warp of that rank issues in `cycle`. If the policy stays with it, `cycle` becomes that of its next
// instruction.
template <class Policy, Pace pace>
inline bool Sm::issue_first(SubCore& core, std::uint32_t rank, std::int64_t& cycle, std::int64_t end) {
  const std::int64_t next = issue<Policy, pace>(core, rank, cycle);
  if (Policy::greedy && next <= cycle + 1 && cycle + 1 < end) {
    core.wake(++cycle);
    return true;
  }
  core.wheel.insert(core.state.front, rank, std::max(next, cycle + 1), cycle);
  return false;
}

// The same for arithmetic on the sub-core's own units, with what follows at once of the same kind. True if
// the policy stays with the warp for an instruction of another kind. An observed run is never ahead
// (sm_lookahead.cpp), so nothing of this is recorded.
template <class Policy, Pace pace>
inline bool Sm::issue_local(SubCore& core, SchedulerState& ahead, std::uint32_t rank, std::int64_t& cycle,
                            std::int64_t end) {
  Warp& warp = *core.warps[rank];
  const HotOp* op = warp.op;
  Time* free_at = core.unit_free_at[rank];
  core.take(ahead, rank, *op);
  while (true) {
    const Time start = charge_issue<pace>(warp, *op, *free_at, cycle);
    execute_plain(warp, *op, *free_at, start);
    advance(warp);
    op = warp.op;
    free_at = core.units.free_at[op->unit];
    const std::int64_t next = next_issue<pace>(warp, start, *free_at);
    const bool stays = (next <= cycle + 1) & (cycle + 1 < end); // one branch
    if (!Policy::greedy || !stays) {
      core.want(rank, *op);
      core.wheel.insert(ahead.front, rank, std::max(next, cycle + 1), cycle);
      return false;
    }
    ahead.wake(core.wheel, ++cycle);
    if (!op->local) {
      core.want(rank, *op);
      return true;
    }
  }
}

// The policy's choice of those that can issue at `now`; no_slot if none can. All that want a held unit sleep
// until it is free.
template <class Policy>
inline std::uint32_t Sm::pick(SubCore& core, SchedulerState& state, std::int64_t now) {
  while (state.awake != 0) {
    const std::uint32_t rank = Policy::pick({state.awake, state.last_issued});
    const std::int64_t free = cycle_of(*core.unit_free_at[rank]);
    if (free <= now)
      return rank;
    const std::uint64_t waiting = state.awake & core.units.next_here[core.warps[rank]->op->unit];
    state.awake ^= waiting;
    core.wheel.insert_near(state.front, waiting, free, now);
  }
  return no_slot;
}

// One scheduler in one cycle: up to issue_width warps, each with up to two instructions if it may pair them.
// Returns the cycle in which it must act again.
template <class Policy> inline std::int64_t Sm::issue_several(SubCore& core, std::int64_t now) {
  core.wake(now);
  std::uint32_t issued = 0;
  for (; now >= core.next_slot && issued < config_.issue_width; ++issued) {
    const std::uint32_t rank = pick<Policy>(core, core.state, now);
    if (rank == no_slot)
      break;
    Warp& warp = *core.warps[rank];
    std::int64_t wake = issue<Policy, Pace::any>(core, rank, now);
    if (config_.dual_issue && wake != WakeWheel::never && pairs(core, warp, now))
      wake = issue<Policy, Pace::any>(core, rank, now);
    if (wake > now)
      core.wheel.insert(core.state.front, rank, wake, now);
    else
      core.state.awake |= std::uint64_t{1} << rank;
  }
  if (issued != 0) {
    ++issue_cycles_;
    core.next_slot = now + config_.issue_interval;
  }
  const std::int64_t next_slot = std::max(now + 1, core.next_slot);
  return std::min(core.state.awake != 0 ? next_slot : WakeWheel::never,
                  WakeWheel::next(core.state.front, now));
}

// In the order of configs::SchedulerPolicy.
static constexpr bool by_age[] = {Lrr::by_age, Gto::by_age, Oldest::by_age, TwoLevel::by_age, Gty::by_age};
bool Sm::ranks_by_age() const { return by_age[static_cast<std::size_t>(config_.scheduler)]; }

namespace {

template <class Policy> SmResult run_sm(const SmWorkload& workload, TraceRecorder* trace) {
  Sm sm(workload, trace);
  if constexpr (!is_observed<Policy>)
    if (sm.pace() == Pace::lean)
      return sm.run<Policy, Pace::lean>();
  return sm.pace() == Pace::any ? sm.run<Policy, Pace::any>() : sm.run<Policy, Pace::one_a_cycle>();
}

using RunSm = SmResult (*)(const SmWorkload&, TraceRecorder*);
// In the order of configs::SchedulerPolicy.
constexpr RunSm run_with[] = {run_sm<Lrr>, run_sm<Gto>, run_sm<Oldest>, run_sm<TwoLevel>, run_sm<Gty>};
constexpr RunSm run_observed[] = {run_sm<Observed<Lrr>>, run_sm<Observed<Gto>>, run_sm<Observed<Oldest>>,
                                  run_sm<Observed<TwoLevel>>, run_sm<Observed<Gty>>};

SmResult simulate_exactly(const SmWorkload& workload) {
  return run_with[static_cast<std::size_t>(workload.config.scheduler)](workload, nullptr);
}

struct Running {
  void (*to_cta)(Sm& sm, std::uint64_t number) = nullptr;
  SmResult (*to_end)(Sm& sm) = nullptr;
};

template <class Policy, Pace pace>
constexpr Running running = {[](Sm& sm, std::uint64_t number) { sm.run_to_cta<Policy, pace>(number); },
                             [](Sm& sm) {
                               sm.run_until<Policy, pace>(WakeWheel::never);
                               return sm.result();
                             }};

template <class Policy> Running running_at(Pace pace) {
  if (pace == Pace::lean)
    return running<Policy, Pace::lean>;
  return pace == Pace::any ? running<Policy, Pace::any> : running<Policy, Pace::one_a_cycle>;
}

// In the order of configs::SchedulerPolicy.
constexpr decltype(&running_at<Gto>) running_by_policy[] = {
    running_at<Lrr>, running_at<Gto>, running_at<Oldest>, running_at<TwoLevel>, running_at<Gty>};

} // namespace

struct FirstCtas::State {
  const SmWorkload& workload;
  Sm sm;
  Running running;
  std::uint64_t answered = 0;                   // warp instructions that an answer has counted
  std::map<std::uint64_t, SmResult> known = {}; // by how many of the first CTAs

  // A copy of the SM, where it parts from those that begin with more of the first CTAs.
  std::shared_ptr<Sm> with(const std::vector<CtaRun>& ctas) {
    running.to_cta(sm, common_ctas(workload.ctas, ctas));
    return std::shared_ptr<Sm>(new Sm(sm.with(ctas)));
  }
};

FirstCtas::FirstCtas(const SmWorkload& workload) : state_(new State{workload, Sm(workload), {}}) {
  state_->running = running_by_policy[static_cast<std::size_t>(workload.config.scheduler)](state_->sm.pace());
  state_->sm.begin();
}
FirstCtas::~FirstCtas() = default;

SmResult FirstCtas::of(std::uint64_t ctas) {
  if (const auto known = state_->known.find(ctas); known != state_->known.end()) {
    SmResult again = known->second;
    again.simulated_warp_instructions = 0;
    return again;
  }
  assert((state_->known.empty() || state_->known.rbegin()->first < ctas) && "more CTAs than before");
  return state_->known.emplace(ctas, with(first_ctas(state_->workload.ctas, ctas))).first->second;
}

SmResult FirstCtas::with(const std::vector<CtaRun>& ctas) {
  SmResult result = state_->running.to_end(*state_->with(ctas));
  result.simulated_warp_instructions -= state_->answered;
  state_->answered = state_->sm.issued();
  return result;
}

std::function<SmResult()> FirstCtas::later_with(const std::vector<CtaRun>& ctas) {
  return [sm = state_->with(ctas), running = state_->running] {
    const std::uint64_t before = sm->issued();
    SmResult result = running.to_end(*sm);
    result.simulated_warp_instructions -= before;
    return result;
  };
}

struct SteppedSm::State {
  Sm sm;
  void (*run_until)(Sm& sm, std::int64_t end);
  std::int64_t now = 0; // the last cycle that is over
};

namespace {

template <class Policy> auto run_until_with(Pace pace) -> void (*)(Sm& sm, std::int64_t end) {
  if (pace == Pace::lean)
    return [](Sm& sm, std::int64_t end) { sm.run_until<Policy, Pace::lean>(end); };
  if (pace == Pace::any)
    return [](Sm& sm, std::int64_t end) { sm.run_until<Policy, Pace::any>(end); };
  return [](Sm& sm, std::int64_t end) { sm.run_until<Policy, Pace::one_a_cycle>(end); };
}

// In the order of configs::SchedulerPolicy.
constexpr decltype(&run_until_with<Gto>) stepped_with[] = {run_until_with<Lrr>, run_until_with<Gto>,
                                                           run_until_with<Oldest>, run_until_with<TwoLevel>,
                                                           run_until_with<Gty>};

} // namespace

SteppedSm::SteppedSm(const SmWorkload& workload, std::uint32_t number, KnownAccesses* known)
    : state_(new State{Sm(workload, nullptr, number), nullptr}) {
  state_->sm.decide_by(known);
  state_->run_until = stepped_with[static_cast<std::size_t>(workload.config.scheduler)](state_->sm.pace());
}
SteppedSm::~SteppedSm() = default;
SteppedSm::SteppedSm(SteppedSm&&) noexcept = default;
SteppedSm& SteppedSm::operator=(SteppedSm&&) noexcept = default;

void SteppedSm::place(std::uint32_t slot, std::uint32_t kind, Time at, Time begin) {
  state_->sm.place({slot, kind, at, begin});
}
void SteppedSm::arrive(std::uint32_t number, Time at) { state_->sm.arrive(number, at, state_->now); }
void SteppedSm::run_until(std::int64_t end) {
  state_->run_until(state_->sm, end);
  state_->now = std::max(state_->now, end - 1);
}
std::int64_t SteppedSm::next_cycle() const { return state_->sm.next_cycle(); }
std::vector<SmMiss>& SteppedSm::misses() { return state_->sm.misses(); }
std::vector<EndedCta>& SteppedSm::ended() { return state_->sm.ended(); }
SmResult SteppedSm::result() const { return state_->sm.result(); }

namespace {

RunOfBusiest simulate_together(const SmWorkload& workload) {
  std::vector<std::size_t> order(workload.other_ctas.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { // as the run comes to where they part from it
    return common_ctas(workload.ctas, workload.other_ctas[i]);
  });
  FirstCtas beginning(workload);
  std::vector<std::function<SmResult()>> others(workload.other_ctas.size());
  for (const std::size_t i : order)
    others[i] = beginning.later_with(workload.other_ctas[i]);
  return {beginning.with(workload.ctas), [others = std::move(others)] {
            std::vector<SmResult> results;
            for (const std::function<SmResult()>& other : others)
              results.push_back(other());
            return results;
          }};
}

SmResult simulate_alone(const SmWorkload& workload) {
  return is_stepped_through(workload) ? simulate_exactly(workload)
                                      : simulate_steadily(workload, simulate_exactly);
}

// Others go on from where they part if everything is stepped through; else each is continued for itself.
RunOfBusiest simulate_at_load(const SmWorkload& workload) {
  if (workload.other_ctas.empty())
    return {simulate_alone(workload)};
  if (is_stepped_through(workload))
    return simulate_together(workload);
  return {simulate_alone(with_ctas(workload, workload.ctas)), [&workload] {
            std::vector<SmResult> results;
            for (const std::vector<CtaRun>& ctas : workload.other_ctas)
              results.push_back(simulate_alone(with_ctas(workload, ctas)));
            return results;
          }};
}

void forget_ops(SmResult& result) {
  std::vector<OpResult>().swap(result.ops); // their memory, too: results are kept
  for (SmResult& other : result.others)
    forget_ops(other);
}

} // namespace

SmResult simulate_sm(const SmWorkload& workload) {
  SmResult result = simulate_under_load(workload, simulate_at_load);
  if (!workload.detail)
    forget_ops(result);
  return result;
}

SmTrace trace_sm(const SmWorkload& workload, std::size_t max_slices) {
  SmWorkload at_load = with_ctas(workload, workload.ctas);
  if (workload.config.dram_load.limit > 0)
    at_load.config.dram_queueing = simulate_sm(at_load).dram_queueing;
  TraceRecorder recorder(at_load, max_slices);
  run_observed[static_cast<std::size_t>(workload.config.scheduler)](at_load, &recorder);
  return std::move(recorder).trace();
}

} // namespace kerncast::engine
