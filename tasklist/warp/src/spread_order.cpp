#include "warp/spread_order.h"

#include <algorithm>
#include <bit>

namespace kerncast::warp {

std::vector<std::size_t> spread_order(std::size_t count) {
  std::vector<std::size_t> order;
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(count, 1));
  const int bits = std::countr_zero(size);
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t reversed = 0;
    for (int b = 0; b < bits; ++b)
      reversed |= (i >> b & 1) << (bits - 1 - b);
    if (reversed < count)
      order.push_back(reversed);
  }
  return order;
}

} // namespace kerncast::warp
