#include "open_operations.h"

#include <algorithm>

namespace kerncast::machine {

using tasklist::no_id;

void OpenOperations::clear() {
  for (const std::uint16_t unit : units_)
    ready_[unit].clear();
  units_.clear();
  waiting_.clear();
  next_near_ = no_id;
  size_ = 0;
  now_ = 0;
  first_unplaced_ = 0;
}

double OpenOperations::usable_at(const OpenOperation& operation) const {
  const bool is_near = operation.op - first_unplaced_ <= lookahead_;
  return is_near && operation.may_be_early ? operation.ready_at
                                           : std::max(operation.ready_at, operation.of_use_at);
}

// Whether it will be usable before it is of use.
bool OpenOperations::is_held_back(const Waiting& waiting) {
  return waiting.operation.may_be_early && waiting.usable > waiting.operation.ready_at;
}

void OpenOperations::add(const OpenOperation& operation) {
  ++size_;
  if (const double usable = usable_at(operation); usable > now_)
    wait(operation, usable);
  else
    make_ready(operation);
}

void OpenOperations::make_ready(const OpenOperation& operation) {
  std::vector<OpenOperation>& ready = ready_[operation.unit];
  if (ready.empty() && std::ranges::find(units_, operation.unit) == units_.end())
    units_.push_back(operation.unit);
  auto place = ready.end();
  while (place != ready.begin() &&
         (place[-1].rank != operation.rank ? place[-1].rank > operation.rank : place[-1].op < operation.op))
    --place;
  ready.insert(place, operation);
}

void OpenOperations::wait(const OpenOperation& operation, double usable) {
  auto place = waiting_.end();
  while (place != waiting_.begin() && place[-1].usable < usable)
    --place;
  if (is_held_back(*waiting_.insert(place, {usable, operation})))
    next_near_ = std::min(next_near_, operation.op);
}

void OpenOperations::advance(double now, std::uint32_t first_unplaced) {
  now_ = now;
  first_unplaced_ = first_unplaced;
  if (next_near_ != no_id && next_near_ - first_unplaced <= lookahead_)
    release_near();
  while (!waiting_.empty() && waiting_.back().usable <= now) {
    make_ready(waiting_.back().operation);
    waiting_.pop_back();
  }
}

// Nothing holds back what is near the first operation not yet placed.
void OpenOperations::release_near() {
  next_near_ = no_id;
  for (Waiting& waiting : waiting_) {
    waiting.usable = usable_at(waiting.operation);
    if (is_held_back(waiting))
      next_near_ = std::min(next_near_, waiting.operation.op);
  }
  std::ranges::stable_sort(waiting_, std::ranges::greater{}, &Waiting::usable);
}

bool OpenOperations::is_better(const Best& best, std::int32_t excess, double usable, double start,
                               const OpenOperation& operation) {
  if (excess != best.excess)
    return excess < best.excess;
  if (excess > 0) // the text's order, which needs no more than so many
    return operation.op < best.op;
  if (usable != best.usable)
    return usable < best.usable;
  if (start != best.start)
    return start < best.start;
  return operation.rank != best.rank ? operation.rank > best.rank : operation.op < best.op;
}

template <class Excess>
OpenOperations::Best OpenOperations::find_best(std::span<const double> unit_free_at, Excess excess_of) {
  Best best;
  for (const std::uint16_t unit : units_) {
    std::vector<OpenOperation>& ready = ready_[unit];
    const double start = std::max(now_, unit_free_at[unit]);
    for (std::size_t i = ready.size(); i-- > 0;) {
      const std::int32_t excess = excess_of(ready[i].op);
      if (is_better(best, excess, now_, start, ready[i]))
        best = {excess, now_, start, ready[i].rank, ready[i].op, &ready, i};
      if (excess == 0)
        break;
    }
  }
  for (std::size_t i = waiting_.size(); i-- > 0;) {
    const auto& [usable, operation] = waiting_[i];
    if (best.excess == 0 && usable > best.usable)
      break;
    const std::int32_t excess = excess_of(operation.op);
    const double start = std::max({operation.ready_at, now_, unit_free_at[operation.unit]});
    if (is_better(best, excess, usable, start, operation))
      best = {excess, usable, start, operation.rank, operation.op, nullptr, i};
  }
  return best;
}

std::uint32_t OpenOperations::take_best(std::span<const double> unit_free_at, const PiecePressure& pressure,
                                        std::int32_t register_target) {
  const bool is_tight = pressure.in_use() + most_results > register_target;
  const Best best =
      is_tight
          ? find_best(unit_free_at, [&](std::uint32_t op) { return pressure.excess(op, register_target); })
          : find_best(unit_free_at, [](std::uint32_t) { return 0; });
  --size_;
  if (best.ready != nullptr)
    best.ready->erase(best.ready->begin() + static_cast<std::ptrdiff_t>(best.position));
  else
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(best.position));
  return best.op;
}

} // namespace kerncast::machine
