// Limits per rule, in exact integers. A step is the signed difference of the values modulo their width;
// whatever step produced it, the value k iterations on is value + k * step as long as that does not leave
// the type's range.
#include "advance_limit.h"

#include <algorithm>

namespace kerncast::slice {
namespace {

__extension__ using Integer = __int128;

struct Range {
  Integer least, most;
};

std::uint32_t bits_of(ptx::Type type) { return 8 * ptx::size_bytes(type); }

Range range_of(ptx::Type type) {
  const Integer half = Integer{1} << (bits_of(type) - 1);
  return ptx::is_signed(type) ? Range{-half, half - 1} : Range{0, 2 * half - 1};
}

Integer value_of(std::uint64_t bits, ptx::Type type) {
  if (!ptx::is_signed(type))
    return Integer{bits};
  return bits_of(type) == 32 ? Integer{static_cast<std::int32_t>(bits)}
                             : Integer{static_cast<std::int64_t>(bits)};
}

Integer step_of(std::uint64_t before, std::uint64_t after, ptx::Type type) {
  const std::uint64_t difference = after - before;
  return bits_of(type) == 32 ? Integer{static_cast<std::int32_t>(difference)}
                             : Integer{static_cast<std::int64_t>(difference)};
}

std::uint64_t clamp(Integer k) { return k >= Integer{no_limit} ? no_limit : static_cast<std::uint64_t>(k); }

// Largest k with value + k * step inside the range.
std::uint64_t until_wrap(Integer value, Integer step, Range range) {
  if (step == 0)
    return no_limit;
  return clamp(step > 0 ? (range.most - value) / step : (value - range.least) / -step);
}

// Largest k for which the sign of difference + k * step stays.
std::uint64_t until_order_changes(Integer difference, Integer step) {
  if (step == 0)
    return no_limit;
  if (difference == 0)
    return 0;
  if ((difference > 0) == (step > 0))
    return no_limit;
  return clamp(difference > 0 ? (difference - 1) / -step : (-difference - 1) / step);
}

struct Operands {
  std::uint64_t a0, a1, b0, b1; // sources 0 and 1, before and after
};

std::uint64_t widen_limit(std::uint64_t before, std::uint64_t after, ptx::Type type) {
  return until_wrap(value_of(after, type), step_of(before, after, type), range_of(type));
}

std::uint64_t compare_limit(const Operands& o, ptx::Type type) {
  const Integer step_a = step_of(o.a0, o.a1, type), step_b = step_of(o.b0, o.b1, type);
  const Integer a = value_of(o.a1, type), b = value_of(o.b1, type);
  return std::min({until_wrap(a, step_a, range_of(type)), until_wrap(b, step_b, range_of(type)),
                   until_order_changes(a - b, step_a - step_b)});
}

std::uint64_t lane_limit(const MicroOp& op, const Operands& o) {
  const bool a_same = o.a0 == o.a1, b_same = o.b0 == o.b1;
  switch (op.rule) {
  case AdvanceRule::linear:
  case AdvanceRule::opaque:
  case AdvanceRule::loaded_own:
    return no_limit;
  case AdvanceRule::product:
    return a_same || b_same ? no_limit : 0;
  case AdvanceRule::shift:
    return b_same ? no_limit : 0;
  case AdvanceRule::widen:
    return widen_limit(o.a0, o.a1, op.type);
  case AdvanceRule::widening_product:
    if (!a_same && !b_same)
      return 0;
    return std::min(widen_limit(o.a0, o.a1, op.type), widen_limit(o.b0, o.b1, op.type));
  case AdvanceRule::compare:
    return compare_limit(o, op.type);
  case AdvanceRule::constant:
  case AdvanceRule::exchange:
  case AdvanceRule::loaded: // observed where it is known what lies in memory
    return 0;               // decided for all sources by the caller
  }
  return 0;
}

bool all_same(LaneMask lanes, std::span<const std::uint64_t> before, std::span<const std::uint64_t> after) {
  for (std::size_t i = 0; i < before.size(); ++i)
    if ((lanes >> (i % lanes_per_warp) & 1) != 0 && before[i] != after[i])
      return false;
  return true;
}

} // namespace

std::uint64_t advance_limit(const MicroOp& op, LaneMask lanes, std::span<const std::uint64_t> before,
                            std::span<const std::uint64_t> after) {
  if (all_same(lanes, before, after))
    return no_limit;
  const bool two = before.size() >= 2 * lanes_per_warp;
  std::uint64_t limit = no_limit;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if (has(lanes, i)) {
      const std::uint32_t b = two ? i + lanes_per_warp : i;
      limit = std::min(limit, lane_limit(op, {before[i], after[i], before[b], after[b]}));
    }
  return limit;
}

} // namespace kerncast::slice
