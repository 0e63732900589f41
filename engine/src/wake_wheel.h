// When the warps of one sub-core wake: a hierarchical timing wheel of warp masks.
//
// The near wheel has one slot a cycle for the current block of 64 cycles, the far wheel one slot a block for
// the 63 blocks that follow; wakes further away wait in the last of them and are put in again from there.
// One word says which slots of a wheel are occupied, so that the next wake is found without a search.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "engine/sm_time.h"

namespace kerncast::engine {

class WakeWheel {
public:
  static constexpr std::int64_t never = INT64_MAX;
  // Who would wake in a cycle so late is not put in: somebody else wakes it.
  static constexpr std::int64_t unknown = first_unknown_time >> cycle_bits;

  // Wakes warp `slot` at `cycle`, not before `now`. Returns when the wheel wants `take` for it: then, or
  // earlier if that is beyond the far wheel.
  std::int64_t insert(std::uint32_t slot, std::int64_t cycle, std::int64_t now) {
    if (now >> block_bits > block_)
      enter_block(now >> block_bits);
    return insert(slot, cycle);
  }
  // The same in the block of cycles that was entered last.
  std::int64_t insert(std::uint32_t slot, std::int64_t cycle) { return place(slot, cycle); }

  // Takes out the warps that wake at `now`. Must be called at every cycle that `next` or `insert` named.
  std::uint64_t take(std::int64_t now) {
    if (now >> block_bits != block_)
      enter_block(now >> block_bits);
    near_occupied_ &= ~(std::uint64_t{1} << (now & block_mask)); // no branch: half of the cycles have no warp
    return std::exchange(near_[now & block_mask], 0);
  }

  // Takes out the warps that wake up to `now`, in the block of cycles that was entered last.
  std::uint64_t take_through(std::int64_t now) {
    const std::uint64_t past = ~std::uint64_t{0} >> (block_mask - (now & block_mask));
    std::uint64_t due = 0;
    for (std::uint64_t rest = near_occupied_ & past; rest != 0; rest &= rest - 1)
      due |= std::exchange(near_[static_cast<std::size_t>(std::countr_zero(rest))], 0);
    near_occupied_ &= ~past;
    return due;
  }
  // Whether the cycle is the last of its block.
  static bool ends_block(std::int64_t cycle) { return (cycle & block_mask) == block_mask; }

  // First cycle at which `take` is wanted, `never` if nothing waits.
  std::int64_t next() const {
    if (near_occupied_ != 0)
      return (block_ << block_bits) + std::countr_zero(near_occupied_);
    if (far_occupied_ == 0)
      return never;
    const auto first = static_cast<int>((block_ + 1) & block_mask);
    return (block_ + 1 + std::countr_zero(std::rotr(far_occupied_, first))) << block_bits;
  }

private:
  static constexpr int block_bits = 6;
  static constexpr std::int64_t block_mask = 63;

  std::int64_t place(std::uint32_t slot, std::int64_t cycle) {
    const std::int64_t ahead = (cycle >> block_bits) - block_;
    if (ahead == 0) {
      near_[cycle & block_mask] |= std::uint64_t{1} << slot;
      near_occupied_ |= std::uint64_t{1} << (cycle & block_mask);
      return cycle;
    }
    if (cycle >= unknown)
      return never;
    wake_[slot] = cycle;
    const std::int64_t block = block_ + (ahead < block_mask ? ahead : block_mask);
    far_[block & block_mask] |= std::uint64_t{1} << slot;
    far_occupied_ |= std::uint64_t{1} << (block & block_mask);
    return ahead <= block_mask ? cycle : block << block_bits;
  }

  void enter_block(std::int64_t block) {
    block_ = block;
    std::uint64_t moved = std::exchange(far_[block & block_mask], 0);
    far_occupied_ &= ~(std::uint64_t{1} << (block & block_mask));
    for (; moved != 0; moved &= moved - 1) {
      const auto slot = static_cast<std::uint32_t>(std::countr_zero(moved));
      place(slot, wake_[slot]);
    }
  }

  std::int64_t block_ = 0;
  std::uint64_t near_occupied_ = 0;
  std::uint64_t far_occupied_ = 0;
  std::array<std::uint64_t, 64> near_{};
  std::array<std::uint64_t, 64> far_{};
  std::array<std::int64_t, 64> wake_{};
};

} // namespace kerncast::engine
