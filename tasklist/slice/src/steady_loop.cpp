// Observation, the induction's conditions, and the jump.
#include "steady_loop.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

#include "advance_limit.h"

namespace kerncast::slice {
namespace {

// Longer iterations are not worth observing: they have long inner loops, which advance by themselves.
constexpr std::size_t max_observations = 8192;

std::uint32_t width_of(Pool pool) { return pool == Pool::word ? 32 : 64; }

std::uint64_t truncate(std::uint64_t value, std::uint32_t bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

template <class Word>
void add_steps(Lanes<Word>& lanes, const std::uint64_t* from, const std::uint64_t* to, std::uint64_t times,
               LaneMask mask) {
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if (has(mask, i))
      lanes[i] = static_cast<Word>(lanes[i] + (to[i] - from[i]) * times);
}

} // namespace

void SteadyLoop::start(std::size_t depth, const LoopFrame& frame, HeaderState state, LaneFile& file) {
  observing_ = true;
  depth_ = depth;
  loop_ = frame.loop;
  state_ = state;
  headers_ = 0;
  visit_limit_ = endless;
  traces_[0].clear();
  traces_[1].clear();
  take(snapshots_[0], file);
}

void SteadyLoop::take(Snapshot& snapshot, LaneFile& file) const {
  snapshot.values.clear();
  snapshot.known.clear();
  for (const SlotId slot : program_.loops[loop_].written) {
    append_lanes(file, slot, snapshot.values);
    snapshot.known.push_back(file.known(slot));
  }
}

void SteadyLoop::observe(const MicroOp& op, LaneMask lanes, LaneFile& file, bool is_known) {
  if (op.rule == AdvanceRule::linear || (has_unknown_result(op.rule) && !is_known))
    return;
  Trace& trace = traces_[headers_];
  if (trace.observations.size() == max_observations)
    return give_up();
  const auto first = static_cast<std::uint32_t>(trace.values.size());
  for (std::uint32_t s = 0; s < op.source_count; ++s) {
    lanes &= file.known(op.sources[s]);
    if (op.sources[s].pool != Pool::predicate)
      append_lanes(file, op.sources[s], trace.values);
  }
  trace.observations.push_back({&op, lanes, first});
}

void SteadyLoop::observe_access(const Lanes<std::uint64_t>& addresses, LaneMask lanes) {
  Trace& trace = traces_[headers_];
  if (trace.observations.size() == max_observations)
    return give_up();
  trace.observations.push_back({nullptr, lanes, static_cast<std::uint32_t>(trace.values.size())});
  trace.values.insert(trace.values.end(), addresses.begin(), addresses.end());
}

std::uint64_t SteadyLoop::next_header(LoopFrame& frame, HeaderState state, LaneFile& file) {
  if (state != state_ || frame.loop != loop_ || frame.run.period() == 0) {
    give_up();
    return 0;
  }
  take(snapshots_[++headers_], file);
  if (headers_ < 2)
    return 0;
  observing_ = false;
  if (!steps_are_equal())
    return 0;
  const std::uint64_t shapes_repeat_after = alignment_period();
  const std::uint64_t period = frame.run.period();
  // The shapes' own period must be a multiple of the one seen and must have been seen twice.
  if (shapes_repeat_after == 0 || shapes_repeat_after % period != 0 ||
      frame.run.steady_iterations() < 2 * shapes_repeat_after)
    return 0;
  std::uint64_t iterations = iterations_until_change();
  if (visit_limit_ != endless)
    iterations = std::min(iterations, visit_limit_ - std::min(visit_limit_, frame.header_visits));
  if (iterations == no_limit)
    return endless;
  const std::uint64_t repetitions = iterations / period;
  iterations = repetitions * period;
  move_slots(iterations, file);
  frame.run.repeat(repetitions);
  frame.header_visits += iterations;
  return iterations;
}

// The same slots known, and every lane, or the known part of it (origins.h), moved by the same step twice.
bool SteadyLoop::steps_are_equal() const {
  const auto& slots = program_.loops[loop_].written;
  std::size_t at = 0;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const LaneMask known = snapshots_[2].known[s] & state_.mask;
    if ((snapshots_[1].known[s] & state_.mask) != known || (snapshots_[0].known[s] & state_.mask) != known)
      return false;
    const std::uint64_t* const values[] = {&snapshots_[0].values[at], &snapshots_[1].values[at],
                                           &snapshots_[2].values[at]};
    if (slots[s].pool == Pool::predicate) {
      if (((values[1][0] ^ values[2][0]) & known) != 0)
        return false;
      ++at;
      continue;
    }
    const std::uint32_t bits = width_of(slots[s].pool);
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      if (has(state_.mask, i) &&
          truncate(values[1][i] - values[0][i], bits) != truncate(values[2][i] - values[1][i], bits))
        return false;
    at += lanes_per_warp;
  }
  return true;
}

// Iterations after which every access has its old alignment to the 128-byte line; 0 if some access does
// not move by one step in all its lanes.
std::uint64_t SteadyLoop::alignment_period() const {
  std::uint64_t period = 1;
  for (std::size_t o = 0; o < traces_[1].observations.size(); ++o) {
    const Observation& observation = traces_[1].observations[o];
    if (observation.op != nullptr || observation.lanes == 0)
      continue;
    if (o >= traces_[0].observations.size() ||
        traces_[0].observations[o].first_value != observation.first_value)
      return 0;
    const std::uint64_t* const before = &traces_[0].values[observation.first_value];
    const std::uint64_t* const after = &traces_[1].values[observation.first_value];
    const auto first = static_cast<std::uint32_t>(std::countr_zero(observation.lanes));
    const std::uint64_t step = after[first] - before[first];
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      if (has(observation.lanes, i) && after[i] - before[i] != step)
        return 0;
    period = std::lcm(period, 128 / std::gcd(std::uint64_t{128}, step % 128));
  }
  return period;
}

std::uint64_t SteadyLoop::iterations_until_change() const {
  const auto &first = traces_[0], &second = traces_[1];
  if (first.observations.size() != second.observations.size() || first.values.size() != second.values.size())
    return 0;
  std::uint64_t limit = no_limit;
  for (std::size_t o = 0; o < first.observations.size() && limit > 0; ++o) {
    const Observation &a = first.observations[o], &b = second.observations[o];
    if (a.op != b.op || a.lanes != b.lanes || a.first_value != b.first_value)
      return 0;
    if (a.op == nullptr)
      continue;
    const std::size_t end =
        o + 1 < first.observations.size() ? first.observations[o + 1].first_value : first.values.size();
    const auto before = std::span(first.values).subspan(a.first_value, end - a.first_value);
    const auto after = std::span(second.values).subspan(a.first_value, end - a.first_value);
    limit = std::min(limit, advance_limit(*a.op, a.lanes, before, after));
  }
  return limit;
}

void SteadyLoop::move_slots(std::uint64_t iterations, LaneFile& file) const {
  std::size_t at = 0;
  for (const SlotId slot : program_.loops[loop_].written) {
    if (slot.pool == Pool::predicate) {
      ++at;
      continue;
    }
    const std::uint64_t* const from = &snapshots_[1].values[at];
    const std::uint64_t* const to = &snapshots_[2].values[at];
    if (slot.pool == Pool::word)
      add_steps(file.lanes<std::uint32_t>(slot.index), from, to, iterations, state_.mask);
    else
      add_steps(file.lanes<std::uint64_t>(slot.index), from, to, iterations, state_.mask);
    at += lanes_per_warp;
  }
}

} // namespace kerncast::slice
