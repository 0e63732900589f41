#include "open_operations.h"

#include <algorithm>

namespace kerncast::machine {

using tasklist::no_id;

namespace {

// Behind the last one that does not come after it.
template <class T, class ComesAfter>
void insert(std::vector<T>& list, const T& inserted, ComesAfter comes_after) {
  list.push_back(inserted);
  std::size_t place = list.size() - 1;
  for (; place > 0 && comes_after(list[place - 1]); --place)
    list[place] = list[place - 1];
  list[place] = inserted;
}

} // namespace

void OpenOperations::start(std::uint32_t ops) {
  operations_.resize(ops);
  for (const std::uint16_t unit : units_)
    ready_[unit].clear();
  units_.clear();
  waiting_.clear();
  next_near_ = no_id;
  now_ = 0;
  first_unplaced_ = 0;
  size_ = 0;
}

double OpenOperations::usable_at(std::uint32_t op) const {
  const OpenOperation& operation = operations_[op];
  const bool is_near = op - first_unplaced_ <= lookahead_;
  return is_near && operation.may_be_early ? operation.ready_at
                                           : std::max(operation.ready_at, operation.of_use_at);
}

// Whether it will be usable before it is of use.
bool OpenOperations::is_held_back(const Waiting& waiting) const {
  const OpenOperation& operation = operations_[waiting.op];
  return operation.may_be_early && waiting.usable > operation.ready_at;
}

void OpenOperations::add(std::uint32_t op, const OpenOperation& operation) {
  ++size_;
  operations_[op] = operation;
  if (const double usable = usable_at(op); usable > now_)
    wait({usable, op});
  else
    make_ready(op);
}

void OpenOperations::make_ready(std::uint32_t op) {
  const OpenOperation& operation = operations_[op];
  std::vector<Ready>& ready = ready_[operation.unit];
  if (ready.empty() && std::ranges::find(units_, operation.unit) == units_.end())
    units_.push_back(operation.unit);
  insert(ready, {operation.rank, op}, [&](const Ready& other) {
    return other.rank != operation.rank ? other.rank > operation.rank : other.op < op;
  });
}

void OpenOperations::wait(const Waiting& waiting) {
  insert(waiting_, waiting, [&](const Waiting& other) { return other.usable < waiting.usable; });
  if (is_held_back(waiting))
    next_near_ = std::min(next_near_, waiting.op);
}

void OpenOperations::advance(double now, std::uint32_t first_unplaced) {
  now_ = now;
  first_unplaced_ = first_unplaced;
  if (next_near_ != no_id && next_near_ - first_unplaced <= lookahead_)
    release_near();
  while (!waiting_.empty() && waiting_.back().usable <= now) {
    make_ready(waiting_.back().op);
    waiting_.pop_back();
  }
}

// Nothing holds back what is near the first operation not yet placed.
void OpenOperations::release_near() {
  next_near_ = no_id;
  for (Waiting& waiting : waiting_) {
    waiting.usable = usable_at(waiting.op);
    if (is_held_back(waiting))
      next_near_ = std::min(next_near_, waiting.op);
  }
  std::ranges::stable_sort(waiting_, std::ranges::greater{}, &Waiting::usable);
}

bool OpenOperations::is_better(const Best& one, const Best& best) {
  if (one.excess != best.excess)
    return one.excess < best.excess;
  if (one.excess > 0) // the text's order, which needs no more than so many
    return one.op < best.op;
  if (one.usable != best.usable)
    return one.usable < best.usable;
  if (one.start != best.start)
    return one.start < best.start;
  return one.rank != best.rank ? one.rank > best.rank : one.op < best.op;
}

template <class Excess>
OpenOperations::Best OpenOperations::find_best(std::span<const double> unit_free_at, Excess excess_of) {
  Best best;
  const auto compare = [&](const Best& one) {
    if (is_better(one, best))
      best = one;
  };
  for (const std::uint16_t unit : units_) {
    std::vector<Ready>& ready = ready_[unit];
    const double start = std::max(now_, unit_free_at[unit]);
    for (std::size_t i = ready.size(); i-- > 0;) {
      const std::int32_t excess = excess_of(ready[i].op);
      compare({excess, now_, start, ready[i].rank, ready[i].op, &ready, i});
      if (excess == 0)
        break;
    }
  }
  for (std::size_t i = waiting_.size(); i-- > 0;) {
    const auto [usable, op] = waiting_[i];
    if (best.excess == 0 && usable > best.usable)
      break;
    const OpenOperation& operation = operations_[op];
    const double start = std::max({operation.ready_at, now_, unit_free_at[operation.unit]});
    compare({excess_of(op), usable, start, operation.rank, op, nullptr, i});
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
