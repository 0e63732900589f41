#include "list_scheduler.h"

#include <algorithm>
#include <utility>

namespace kerncast::machine {
namespace {

using tasklist::no_id;

// How many operations that wait for nothing are looked at, the first ones of the text (the size with which
// one measured kernel came from 65 % error to 9 %). Those that have waited for others are looked at wherever
// they stand, so that values are used up where registers are short.
constexpr std::uint32_t window = 48;

// So far behind the first operation not yet placed, work that nobody waits for is taken early (of 8 to 64 the
// distance with which registers of sm_75 and sm_80 were nearest to those of ptxas 13.0).
constexpr std::uint32_t lookahead = 20;

// Cycles, less than any latency, that put a barrier behind what is of the same rank.
constexpr double behind_addresses = 0.5;

// Cycles by which work that is not early is ahead of its time: about the latency of arithmetic.
constexpr double ahead = 4;

} // namespace

ListScheduler::ListScheduler(double issue_distance, std::size_t units,
                             const configs::MachineOpSpec* other_move)
    : issue_distance_(issue_distance), unit_free_at_(units), other_move_(other_move),
      open_(units, lookahead) {}

const std::vector<std::uint32_t>& ListScheduler::run(std::span<DraftOp> operations,
                                                     const DependenceGraph& graph,
                                                     std::span<const double> latencies,
                                                     PiecePressure& pressure, std::int32_t register_target) {
  operations_ = operations;
  unit_free_at_.assign(unit_free_at_.size(), 0);
  const auto ops = static_cast<std::uint32_t>(latencies.size());
  states_.assign(ops, State{});
  for (std::uint32_t op = 0; op < ops; ++op) {
    states_[op].waiting = graph.predecessors[op];
    states_[op].unit = operations[op].op.unit;
  }
  order_.resize(ops);
  placed_ = 0;
  open_.start(ops);
  first_unplaced_ = next_ = 0;
  now_ = 0;
  look_ahead(graph, latencies, find_earliest(graph));
  hold_constants_back(graph);
  share_choices();
  while (placed_ < ops) {
    for (; next_ < ops && open_.size() < window; ++next_)
      if (graph.predecessors[next_] == 0 && !states_[next_].is_held_back)
        open(next_);
    place(graph, open_.take_best(unit_free_at_, pressure, register_target), pressure);
  }
  return order_;
}

// Returns when the last operation starts.
double ListScheduler::find_earliest(const DependenceGraph& graph) {
  double end = 0;
  for (std::uint32_t op = 0; op < states_.size(); ++op) {
    const double earliest = states_[op].latest; // at first
    end = std::max(end, earliest);
    for (const auto& edge : graph.after(op))
      states_[edge.to].latest = std::max(states_[edge.to].latest, earliest + edge.latency);
  }
  return end;
}

// Of an operation what follows from those that wait for it:
//
// Its rank is the longest way from its issue to the end of the piece. What it takes to compute an address
// does not count beside what the load takes, so that one load's address is done before the next one's: a
// tile's addresses, all begun and none done, would take the registers that its loads need. A barrier comes
// behind what the addresses of the loads that wait for it are computed of.
//
// What leaves no result keeps its earliest start, and results that nobody in the piece waits for come with
// its last operations. A load waits for what its readers wait for besides: of one body after another that
// loads two values and stores their sum, ptxas 13.0 loads those of the next body while it waits for this
// one's, and no others, though nothing keeps them back.
//
// Constants are moved into registers just before they are read, and addresses of stores are computed then.
void ListScheduler::look_ahead(const DependenceGraph& graph, std::span<const double> latencies, double end) {
  for (auto op = static_cast<std::uint32_t>(states_.size()); op-- > 0;) {
    const DraftOp& operation = operations_[op];
    const bool computes = operation.op.kind == OpKind::compute;
    State& state = states_[op];
    state.is_access = operation.op.kind == OpKind::memory;
    const Ahead found = ahead_of(graph.after(op), computes, latencies[op], end);
    state.rank = found.rank - (operation.op.kind == OpKind::barrier ? behind_addresses : 0);
    state.leads_to_load = state.is_access ? is_load(operation) : found.is_load;
    state.may_be_early = !computes || (found.is_load && !is_moved_constant(operation));
    const bool ends = graph.after(op).empty();
    if (!state.is_access || (!ends && returns_data(operation.op)))
      state.latest = std::max(state.latest, ends ? end - operation.op.latency : found.latest);
  }
}

ListScheduler::Ahead ListScheduler::ahead_of(std::span<const DependenceGraph::Edge> after, bool computes,
                                             double latency, double end) const {
  Ahead found{.rank = latency, .latest = end};
  for (const auto& edge : after) {
    const State& next = states_[edge.to];
    const bool is_for_load = edge.latency > 0 && next.leads_to_load;
    found.rank = std::max(found.rank, (computes && is_for_load ? 0 : edge.latency) + next.rank);
    found.latest = std::min(found.latest, next.latest - edge.latency);
    found.is_load |= is_for_load;
  }
  return found;
}

// A constant that only a load reads, mostly the zero that a guarded one leaves in its register, comes when
// the load waits for nothing else: it would else take the registers of the loads in front of it.
void ListScheduler::hold_constants_back(const DependenceGraph& graph) {
  for (std::uint32_t op = 0; op < operations_.size(); ++op) {
    const auto after = graph.after(op);
    const bool is_compute = operations_[op].op.kind == OpKind::compute;
    if (graph.predecessors[op] != 0 || after.empty() || !is_compute || !is_moved_constant(operations_[op]))
      continue;
    const std::uint32_t reader = after.front().to;
    const auto is_other = [reader](const DependenceGraph::Edge& edge) { return edge.to != reader; };
    if (!is_load(operations_[reader]) || std::ranges::any_of(after, is_other))
      continue;
    State& state = states_[reader];
    state.held_back += static_cast<std::uint32_t>(after.size());
    states_[op].next_constant = std::exchange(state.first_constant, op);
    states_[op].is_held_back = true;
  }
  for (State& state : states_)
    if (state.waiting == state.held_back)
      release_constants(state);
}

// From here on they are as other operations that wait for nothing.
void ListScheduler::release_constants(State& reader) {
  for (std::uint32_t op = reader.first_constant; op != no_id; op = states_[op].next_constant) {
    states_[op].is_held_back = false;
    if (op < next_)
      open(op);
  }
  reader.first_constant = no_id;
  reader.held_back = 0;
}

// How many go to the other pipe: so many for each operation that has no choice, by its pipe, and for each
// move. Least squares over 86 loops that ptxas 13.0 wrote for sm_75, sm_80 and sm_90 (arrays of 4 to 32
// elements, read, written or both, 1, 2 or 4 neighbours at a time, with and without eight sums of f32
// besides): 0.9 moves off in the root of the mean square, of 12.
void ListScheduler::share_choices() {
  constexpr double per_own = 0.17;
  constexpr double per_other = -0.21;
  constexpr double per_choice = 0.37;
  other_share_ = other_due_ = 0;
  if (other_move_ == nullptr)
    return;
  const auto first = std::ranges::find(operations_, true, &DraftOp::is_choice);
  if (first == operations_.end())
    return;
  double own = 0, others = 0, choices = 0;
  for (const DraftOp& op : operations_)
    if (op.is_choice)
      ++choices;
    else if (op.op.unit == first->op.unit)
      ++own;
    else if (op.op.unit == other_move_->unit)
      ++others;
  other_share_ =
      std::clamp(per_own * own + per_other * others + per_choice * choices, 0.0, choices) / choices;
}

bool ListScheduler::takes_other_pipe(std::uint32_t op) {
  if (other_move_ == nullptr || !operations_[op].is_move)
    return false;
  if (!operations_[op].is_choice)
    return unit_free_at_[other_move_->unit] < unit_free_at_[states_[op].unit];
  other_due_ += other_share_;
  if (other_due_ < 1)
    return false;
  other_due_ -= 1;
  return true;
}

void ListScheduler::open(std::uint32_t op) {
  const State& state = states_[op];
  open_.add(op, {.unit = state.unit,
                 .may_be_early = state.may_be_early,
                 .ready_at = state.ready_at,
                 .of_use_at = state.latest - (state.is_access ? 0 : ahead),
                 .rank = state.rank});
}

void ListScheduler::place(const DependenceGraph& graph, std::uint32_t op, PiecePressure& pressure) {
  order_[placed_++] = op;
  mark_placed(op);
  pressure.place(op);
  MachineOp& placed = operations_[op].op;
  if (takes_other_pipe(op)) {
    placed.unit = static_cast<std::uint16_t>(other_move_->unit);
    placed.latency = other_move_->latency;
    placed.issue_interval = other_move_->issue_interval;
    states_[op].unit = placed.unit;
  }
  const double issued = std::max({states_[op].ready_at, now_, unit_free_at_[states_[op].unit]});
  unit_free_at_[placed.unit] = issued + placed.issue_interval;
  for (const auto& edge : graph.after(op)) {
    State& after = states_[edge.to];
    after.ready_at = std::max(after.ready_at, issued + edge.latency);
    if (--after.waiting == 0)
      open(edge.to);
    else if (after.waiting == after.held_back)
      release_constants(after);
  }
  now_ = issued + issue_distance_;
  open_.advance(now_, first_unplaced_);
}

void ListScheduler::mark_placed(std::uint32_t op) {
  states_[op].is_placed = true;
  while (first_unplaced_ < states_.size() && states_[first_unplaced_].is_placed)
    ++first_unplaced_;
}

} // namespace kerncast::machine
