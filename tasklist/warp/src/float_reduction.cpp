// redux.sync.{min,max}{.abs}{.NaN}.f32 (PTX ISA, section 9.7.13.12): of the members' values, or of their
// magnitudes. -0 lies below +0. A NaN counts only where .NaN asks for it, or where there is nothing else.
#include <cmath>

#include "exchange.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Type;

constexpr std::uint32_t canonical_nan = 0x7fffffff;

bool is_below(float a, float b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }

template <bool greatest, bool of_magnitudes, bool keeps_nan>
std::uint32_t extreme(const Lanes<std::uint32_t>& values, LaneMask members) {
  std::uint32_t result = canonical_nan;
  for (; members != 0; members &= members - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(members));
    const auto value = std::bit_cast<float>(values[lane]),
               candidate = of_magnitudes ? std::fabs(value) : value;
    const auto best = std::bit_cast<float>(result);
    if (std::isnan(candidate) && keeps_nan)
      return canonical_nan;
    if (!std::isnan(candidate) &&
        (std::isnan(best) || (greatest ? is_below(best, candidate) : is_below(candidate, best))))
      result = std::bit_cast<std::uint32_t>(candidate);
  }
  return result;
}

template <bool greatest, bool of_magnitudes, bool keeps_nan>
void reduce_floats(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Lanes<std::uint32_t>& values = file.lanes<std::uint32_t>(op.sources[0].index);
  const LaneMask known_values = file.lanes_known<std::uint32_t>(op.sources[0].index);
  Lanes<std::uint32_t> result;
  LaneMask known = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    const LaneMask members = members_of(file, op, i);
    known |= (members & ~known_values) == 0 ? LaneMask{1} << i : 0;
    result[i] = extreme<greatest, of_magnitudes, keeps_nan>(values, members);
  }
  file.lanes<std::uint32_t>(destination) = result;
  file.lanes_known<std::uint32_t>(destination) = known;
}

template <bool greatest, bool of_magnitudes> LaneFunction function_for(const InstructionForm& form) {
  return form.has(Modifier::NaN) ? reduce_floats<greatest, of_magnitudes, true>
                                 : reduce_floats<greatest, of_magnitudes, false>;
}
template <bool greatest> LaneFunction function_for(const InstructionForm& form) {
  return form.has(Modifier::abs) ? function_for<greatest, true>(form) : function_for<greatest, false>(form);
}

} // namespace

Exchange select_float_reduction(const InstructionForm& form) {
  const LaneFunction f = form.has(Modifier::max) ? function_for<true>(form) : function_for<false>(form);
  return {f, nullptr, Type::f32, {Type::f32, Type::b32}, 2};
}

} // namespace kerncast::warp
