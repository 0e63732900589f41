// Where a thread's registers lie in the lanes of its warp (PTX ISA, section 9.7.16.2.3): groups of four
// threads share a lane, or two lanes eight apart.
#include "warp/tensor_memory_op.h"

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

} // namespace kerncast::warp
