// redux.sync.{min,max}{.abs}{.NaN}.f32 (PTX ISA, section 9.7.13.12): of the members' values, or of their
// magnitudes.
#include "exchange.h"
#include "float_extreme.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Type;

template <bool greatest, bool of_magnitudes, bool keeps_nan>
std::uint32_t extreme_of(const Lanes<std::uint32_t>& values, LaneMask members) {
  FloatExtreme result(greatest, keeps_nan);
  for (; members != 0; members &= members - 1) {
    const auto value = std::bit_cast<float>(values[static_cast<std::uint32_t>(std::countr_zero(members))]);
    result.add(of_magnitudes ? std::fabs(value) : value);
  }
  return result.bits();
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
    result[i] = extreme_of<greatest, of_magnitudes, keeps_nan>(values, members);
  }
  file.lanes<std::uint32_t>(destination) = result;
  file.lanes_known<std::uint32_t>(destination) = known;
}

template <bool greatest, bool of_magnitudes> LaneFunction reduction_function(const InstructionForm& form) {
  return form.has(Modifier::NaN) ? reduce_floats<greatest, of_magnitudes, true>
                                 : reduce_floats<greatest, of_magnitudes, false>;
}
template <bool greatest> LaneFunction reduction_function(const InstructionForm& form) {
  return form.has(Modifier::abs) ? reduction_function<greatest, true>(form)
                                 : reduction_function<greatest, false>(form);
}

} // namespace

Exchange select_float_reduction(const InstructionForm& form) {
  const LaneFunction f =
      form.has(Modifier::max) ? reduction_function<true>(form) : reduction_function<false>(form);
  return {f, nullptr, Type::f32, {Type::f32, Type::b32}, 2};
}

} // namespace kerncast::warp
