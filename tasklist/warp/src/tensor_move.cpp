// Where a thread's registers lie in the lanes of its warp (PTX ISA, section 9.7.16.2.3): groups of four
// threads share a lane, or two lanes eight apart.
#include "warp/tensor_memory_op.h"

#include <algorithm>

#include "float_extreme.h"

namespace kerncast::warp {

TensorAddress TensorMove::place(std::uint32_t thread, std::uint32_t r) const {
  const std::uint32_t group = thread / 4, in_group = thread % 4;
  switch (shape) {
  case Shape::of_16x64b:
    return {group + 8 * (thread % 2), in_group / 2 + 2 * r};
  case Shape::of_16x128b:
    return {group + 8 * (r % 2), in_group + 4 * (r / 2)};
  case Shape::of_16x256b:
    return {group + 8 * (r / 2 % 2), 2 * in_group + r % 2 + 8 * (r / 4)};
  case Shape::of_16x32bx2:
    return {thread % 16, r};
  default:
    return {thread, r};
  }
}

std::uint32_t TensorMove::extreme(std::vector<std::uint32_t> values) const {
  constexpr std::uint32_t magnitude = 0x7fffffff;
  const bool greatest = reduction == Reduction::max;
  if (of_magnitudes)
    std::ranges::for_each(values, [](std::uint32_t& value) { value &= magnitude; });
  if (type == ptx::Type::f32) {
    FloatExtreme result(greatest, keeps_nan);
    for (const std::uint32_t value : values)
      result.add(std::bit_cast<float>(value));
    return result.bits();
  }
  const auto is_less = [this](std::uint32_t a, std::uint32_t b) {
    return type == ptx::Type::s32 ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  };
  return greatest ? std::ranges::max(values, is_less) : std::ranges::min(values, is_less);
}

} // namespace kerncast::warp
