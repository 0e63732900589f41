// When the warps of one sub-core wake: a hierarchical timing wheel of warp masks.
//
// The near wheel has one slot a cycle for the next 64 cycles, the far wheel one slot a block of 64 cycles for
// the 63 blocks that follow the current one; wakes further away wait in the last of them and are put in again
// from there. One word says which slots of a wheel are occupied, so that the next wake is found without a
// search.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "engine/sm_time.h"

namespace kerncast::engine {

// The mask without the bit of that rank, which is not set: higher ranks are one less.
inline std::uint64_t without_rank(std::uint64_t ranks, std::uint32_t rank) {
  const std::uint64_t below = (std::uint64_t{1} << rank) - 1;
  return (ranks & below) | (ranks >> 1 & ~below);
}

class WakeWheel {
public:
  static constexpr std::int64_t never = std::int64_t{1} << 52; // later than any known time's cycle
  // Who would wake in a cycle so late is not put in: somebody else wakes it.
  static constexpr std::int64_t unknown = first_unknown_time >> cycle_bits;

  // What every cycle looks at, apart from the wheel: whoever acts in many cycles keeps it in registers.
  struct Front {
    std::uint64_t occupied = 0;     // slots of the near wheel
    std::int64_t far_begin = never; // of the first block that has warps
  };

  // Wakes the warp of that rank at `cycle`, not before `now`; nothing that waits was to wake before `now`.
  // Returns when the wheel wants `take` for it: then, or earlier if that is beyond the near wheel.
  std::int64_t insert(Front& front, std::uint32_t rank, std::int64_t cycle, std::int64_t now) {
    if (cycle - now >= near_cycles)
      return insert_far(front, rank, cycle, now);
    near_[cycle & near_mask] |= std::uint64_t{1} << rank;
    front.occupied |= std::uint64_t{1} << (cycle & near_mask);
    return cycle;
  }

  // Wakes warps at `cycle`, not before the one after `now`, or earlier if that is beyond the near wheel.
  void insert_near(Front& front, std::uint64_t warps, std::int64_t cycle, std::int64_t now) {
    const std::int64_t wake = std::min(cycle, now + near_mask);
    near_[wake & near_mask] |= warps;
    front.occupied |= std::uint64_t{1} << (wake & near_mask);
  }

  // Takes out the warps that wake at `now`. Must be called at every cycle that `next` or `insert` named.
  std::uint64_t take(Front& front, std::int64_t now) {
    if (now >= front.far_begin)
      bring_near(front, now);
    front.occupied &= ~(std::uint64_t{1} << (now & near_mask)); // no branch: half of the cycles have no warp
    return std::exchange(near_[now & near_mask], 0);
  }

  // First cycle after `now`, whose warps are taken out, at which `take` is wanted; `never` if nothing waits.
  static std::int64_t next(const Front& front, std::int64_t now) {
    if (front.occupied == 0)
      return front.far_begin;
    return std::min(front.far_begin,
                    now + std::countr_zero(std::rotr(front.occupied, static_cast<int>(now & near_mask))));
  }

  // Whether `take` is wanted after `now`, whose warps are taken out, and up to `end`. Without a branch.
  static bool wakes(const Front& front, std::int64_t now, std::int64_t end) {
    const std::uint64_t near = std::rotr(front.occupied, static_cast<int>(now & near_mask));
    const std::uint64_t later = ~std::uint64_t{0} << 1 << std::min(end - now, near_mask);
    return ((near & ~later) != 0) | (front.far_begin <= end);
  }

  // The warp of that rank, of so many, does not wait and gets the last: higher ranks are one less.
  void close(const Front& front, std::uint32_t rank, std::uint32_t ranks_in_use) {
    for (std::uint64_t rest = front.occupied; rest != 0; rest &= rest - 1) {
      std::uint64_t& ranks = near_[static_cast<std::size_t>(std::countr_zero(rest))];
      ranks = without_rank(ranks, rank);
    }
    for (std::uint64_t rest = far_occupied_; rest != 0; rest &= rest - 1) {
      std::uint64_t& ranks = far_[static_cast<std::size_t>(std::countr_zero(rest))];
      ranks = without_rank(ranks, rank);
    }
    std::copy(wake_.begin() + rank + 1, wake_.begin() + ranks_in_use, wake_.begin() + rank);
  }

private:
  static constexpr int block_bits = 6;
  static constexpr std::int64_t near_cycles = 64;
  static constexpr std::int64_t near_mask = near_cycles - 1;
  static constexpr std::int64_t far_blocks = 63;
  static constexpr std::int64_t far_mask = 63;

  std::int64_t insert_far(Front& front, std::uint32_t rank, std::int64_t cycle, std::int64_t now) {
    if (cycle >= unknown)
      return never;
    wake_[rank] = cycle;
    const std::int64_t block = std::min(cycle >> block_bits, (now >> block_bits) + far_blocks);
    far_[block & far_mask] |= std::uint64_t{1} << rank;
    far_occupied_ |= std::uint64_t{1} << (block & far_mask);
    front.far_begin = std::min(front.far_begin, block << block_bits);
    return block << block_bits;
  }

  // `now` lies in the first block that the far wheel has warps in.
  void bring_near(Front& front, std::int64_t now) {
    const std::int64_t block = now >> block_bits;
    std::uint64_t moved = std::exchange(far_[block & far_mask], 0);
    far_occupied_ &= ~(std::uint64_t{1} << (block & far_mask));
    front.far_begin = never;
    if (far_occupied_ != 0) {
      const auto first = static_cast<int>((block + 1) & far_mask);
      front.far_begin = (block + 1 + std::countr_zero(std::rotr(far_occupied_, first))) << block_bits;
    }
    for (; moved != 0; moved &= moved - 1) {
      const auto rank = static_cast<std::uint32_t>(std::countr_zero(moved));
      insert(front, rank, wake_[rank], now);
    }
  }

  std::array<std::uint64_t, 64> near_{};
  std::uint64_t far_occupied_ = 0;
  std::array<std::uint64_t, 64> far_{};
  std::array<std::int64_t, 64> wake_{};
};

} // namespace kerncast::engine
