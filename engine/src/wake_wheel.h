// When the warps of one sub-core wake: a timing wheel of warp masks, one slot a cycle.
//
// Wakes further away than the wheel is long are parked in its last slot and put in again when that comes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace kerncast::engine {

class WakeWheel {
public:
  static constexpr std::int64_t never = INT64_MAX;

  // Wakes warp `slot` at `cycle`, which must be after `now`. Returns when the wheel wants `take` for it:
  // then, or earlier if that is further away than the wheel is long.
  std::int64_t insert(std::uint32_t slot, std::int64_t cycle, std::int64_t now) {
    wake_[slot] = cycle;
    return park(slot, cycle, now);
  }

  // Takes out the warps that wake at `now`. Every cycle before `now` must have been taken or be empty.
  std::uint64_t take(std::int64_t now) {
    const std::size_t at = index(now);
    std::uint64_t due = masks_[at];
    if (due == 0)
      return 0;
    masks_[at] = 0;
    occupied_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
    for (std::uint64_t rest = due; rest != 0; rest &= rest - 1) {
      const auto slot = static_cast<std::uint32_t>(std::countr_zero(rest));
      if (wake_[slot] > now) {
        due &= ~(std::uint64_t{1} << slot);
        park(slot, wake_[slot], now);
      }
    }
    return due;
  }

  // First cycle after `now` at which something may wake, `never` if nothing waits.
  std::int64_t next_after(std::int64_t now) const {
    const std::size_t from = index(now + 1);
    std::size_t word = from / 64;
    std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (from % 64));
    for (std::size_t step = 0; step <= words; ++step) {
      if (bits != 0) {
        const std::size_t at = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        return now + 1 + static_cast<std::int64_t>((at + length - from) % length);
      }
      word = (word + 1) % words;
      bits = occupied_[word];
    }
    return never;
  }

private:
  static constexpr std::size_t length = 256;
  static constexpr std::size_t words = length / 64;

  static std::size_t index(std::int64_t cycle) { return static_cast<std::uint64_t>(cycle) % length; }

  std::int64_t park(std::uint32_t slot, std::int64_t cycle, std::int64_t now) {
    const std::int64_t last = now + static_cast<std::int64_t>(length) - 1;
    const std::int64_t parked = cycle < last ? cycle : last;
    const std::size_t at = index(parked);
    masks_[at] |= std::uint64_t{1} << slot;
    occupied_[at / 64] |= std::uint64_t{1} << (at % 64);
    return parked;
  }

  std::array<std::uint64_t, length> masks_{};
  std::array<std::uint64_t, words> occupied_{};
  std::array<std::int64_t, 64> wake_{};
};

} // namespace kerncast::engine
