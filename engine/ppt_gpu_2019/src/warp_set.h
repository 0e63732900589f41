// A set of warps, in the order in which the schedulers look at them: bit by bit.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace kerncast::ppt_gpu_2019 {

class WarpSet {
public:
  explicit WarpSet(std::uint32_t warps) : words_((warps + 63) / 64) {}
  void insert(std::uint32_t warp) { words_[warp / 64] |= bit(warp); }
  void erase(std::uint32_t warp) { words_[warp / 64] &= ~bit(warp); }
  std::uint64_t word(std::size_t index) const { return words_[index]; }
  std::size_t word_count() const { return words_.size(); }
  bool empty() const {
    for (const std::uint64_t w : words_)
      if (w != 0)
        return false;
    return true;
  }
  bool is_subset_of(const WarpSet& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if ((words_[i] & ~other.words_[i]) != 0)
        return false;
    return true;
  }

private:
  static std::uint64_t bit(std::uint32_t warp) { return std::uint64_t{1} << (warp % 64); }
  std::vector<std::uint64_t> words_;
};

} // namespace kerncast::ppt_gpu_2019
