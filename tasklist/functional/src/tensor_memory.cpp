#include "tensor_memory.h"

#include <algorithm>

namespace kerncast::functional {

void TensorMemory::clear() {
  std::fill(words_.begin(), words_.end(), 0U);
  used_.assign(columns, false);
  allocations_.clear();
  may_allocate_ = true;
  of_pairs_.reset();
}

std::optional<std::uint32_t> TensorMemory::allocate(std::uint32_t count, std::uint32_t line,
                                                    std::uint32_t warp) {
  std::uint32_t first = 0;
  auto next = allocations_.begin();
  for (; next != allocations_.end() && next->first < first + count; ++next)
    first = next->first + next->count;
  if (first + count > columns)
    return std::nullopt;
  words_.resize(std::size_t{lanes} * columns);
  allocations_.insert(next, {first, count, line, warp});
  std::fill_n(used_.begin() + first, count, true);
  return first;
}

bool TensorMemory::free(std::uint32_t first, std::uint32_t count) {
  const auto found = std::find_if(allocations_.begin(), allocations_.end(),
                                  [&](const Allocation& a) { return a.first == first && a.count == count; });
  if (found == allocations_.end())
    return false;
  allocations_.erase(found);
  std::fill_n(used_.begin() + first, count, false);
  return true;
}

bool TensorMemory::agrees(bool of_pair) {
  of_pairs_ = of_pairs_.value_or(of_pair);
  return *of_pairs_ == of_pair;
}

} // namespace kerncast::functional
