// Folding of repeated iterations.
#include "warp/loop_run.h"

#include <algorithm>
#include <utility>

namespace kerncast::warp {
namespace {

// A pattern must hold for that many iterations before it is folded while the loop still runs, so that
// "a a b a a b ..." is not taken for a repetition of a.
constexpr std::size_t least_evidence = 16;

} // namespace

void LoopRun::append(std::uint32_t iteration) {
  if (!body_.empty()) {
    if (iteration == body_[matched_]) {
      if (++matched_ == body_.size()) {
        matched_ = 0;
        ++count_;
      }
      return;
    }
    end_repetition();
  }
  tail_.push_back(iteration);
  fold_tail();
}

void LoopRun::fold_tail() {
  const std::size_t n = tail_.size();
  for (std::size_t p = 1; p <= max_period && p < n; ++p) {
    const std::size_t evidence = std::max(p, least_evidence);
    if (evidence + p > n)
      continue;
    std::size_t held = 0;
    while (held < evidence && tail_[n - 1 - held] == tail_[n - 1 - held - p])
      ++held;
    if (held < evidence)
      continue;
    count_ = (evidence + p) / p;
    body_.assign(tail_.end() - static_cast<std::ptrdiff_t>(p), tail_.end());
    tail_.resize(n - count_ * p);
    emit_tail();
    return;
  }
}

void LoopRun::end_repetition() {
  emit(count_, body_.data(), body_.data() + body_.size());
  tail_.assign(body_.begin(), body_.begin() + static_cast<std::ptrdiff_t>(matched_));
  body_.clear();
  count_ = matched_ = 0;
}

void LoopRun::emit(std::uint64_t count, const std::uint32_t* begin, const std::uint32_t* end) {
  if (begin == end)
    return;
  segments_.push_back(static_cast<std::uint32_t>(end - begin));
  segments_.push_back(static_cast<std::uint32_t>(count));
  segments_.push_back(static_cast<std::uint32_t>(count >> 32));
  segments_.insert(segments_.end(), begin, end);
}

// Short repetitions in the tail: at each place the pattern that covers most, the shortest of equal ones.
void LoopRun::emit_tail() {
  const std::uint32_t* const data = tail_.data();
  const std::size_t n = tail_.size();
  std::size_t plain = 0; // begin of what did not repeat
  for (std::size_t i = 0; i < n;) {
    std::size_t best_period = 0, best_count = 1;
    for (std::size_t p = 1; p <= max_period && i + 2 * p <= n; ++p) {
      std::size_t count = 1;
      while (i + (count + 1) * p <= n && std::equal(data + i, data + i + p, data + i + count * p))
        ++count;
      if (count > 1 && count * p > best_count * best_period) {
        best_period = p;
        best_count = count;
      }
    }
    if (best_count == 1) {
      ++i;
      continue;
    }
    emit(1, data + plain, data + i);
    emit(best_count, data + i, data + i + best_period);
    i += best_count * best_period;
    plain = i;
  }
  emit(1, data + plain, data + n);
  tail_.clear();
}

std::vector<std::uint32_t> LoopRun::close() {
  if (!body_.empty())
    end_repetition();
  emit_tail();
  return std::exchange(segments_, {});
}

} // namespace kerncast::warp
