// Gives equal lists equal numbers, in the order of their first appearance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "support/mix_bits.h"
#include "tasklist/id_table.h"

namespace kerncast::warp {

using tasklist::IdTable;

// Lists of numbers.
class ListTable {
public:
  std::uint32_t intern(std::span<const std::uint32_t> list) {
    std::uint64_t hash = list.size();
    for (const std::uint32_t x : list)
      hash = mix_bits(hash + x);
    const auto fresh = static_cast<std::uint32_t>(begins_.size());
    const std::uint32_t id = ids_.find_or_add(hash, fresh, [&](std::uint32_t other) {
      const auto o = (*this)[other];
      return o.size() == list.size() && std::equal(o.begin(), o.end(), list.begin());
    });
    if (id == fresh) {
      begins_.push_back(pool_.size());
      pool_.insert(pool_.end(), list.begin(), list.end());
    }
    return id;
  }
  std::span<const std::uint32_t> operator[](std::uint32_t id) const {
    const std::size_t end = id + 1 < begins_.size() ? begins_[id + 1] : pool_.size();
    return std::span(pool_).subspan(begins_[id], end - begins_[id]);
  }
  std::size_t size() const { return begins_.size(); }

private:
  IdTable ids_;
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> pool_;
};

} // namespace kerncast::warp
