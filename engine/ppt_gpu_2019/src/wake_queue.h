// When sleeping warps look again: a ring of buckets, one per cycle, each a list of warps.
//
// Warps that sleep longer than the ring is round wait in its farthest bucket and are put back from there.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace kerncast::ppt_gpu_2019 {

class WakeQueue {
public:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  explicit WakeQueue(std::uint32_t warps) : wake_at_(warps), next_in_bucket_(warps) { first_.fill(none); }

  // The warp shall wake in cycle `at`, which is later than `now`.
  void sleep(std::uint32_t warp, std::int64_t at, std::int64_t now) {
    wake_at_[warp] = at;
    const std::size_t bucket = static_cast<std::size_t>(std::min(at, now + ring - 1)) % ring;
    next_in_bucket_[warp] = first_[bucket];
    first_[bucket] = warp;
    occupied_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
  }

  // Calls wake(warp) for every warp that wakes in cycle `now`. No cycle with a bucket may be passed over.
  template <class Wake> void wake(std::int64_t now, Wake&& wake) {
    const std::size_t bucket = static_cast<std::size_t>(now) % ring;
    std::uint32_t warp = first_[bucket];
    if (warp == none)
      return;
    first_[bucket] = none;
    occupied_[bucket / 64] &= ~(std::uint64_t{1} << (bucket % 64));
    while (warp != none) {
      const std::uint32_t next = next_in_bucket_[warp];
      if (wake_at_[warp] > now)
        sleep(warp, wake_at_[warp], now);
      else
        wake(warp);
      warp = next;
    }
  }

  // The first cycle after `now` that has a bucket, `never` if nobody sleeps.
  std::int64_t next(std::int64_t now) const {
    const std::size_t start = static_cast<std::size_t>(now + 1) % ring;
    std::uint64_t word = occupied_[start / 64] & (~std::uint64_t{0} << (start % 64));
    for (std::size_t i = 0; i <= occupied_.size(); ++i) {
      const std::size_t index = (start / 64 + i) % occupied_.size();
      if (i > 0)
        word = occupied_[index];
      if (word != 0) {
        const std::size_t bucket = index * 64 + static_cast<std::size_t>(std::countr_zero(word));
        return now + 1 + static_cast<std::int64_t>((bucket + ring - start) % ring);
      }
    }
    return never;
  }

private:
  static constexpr std::int64_t ring = 1024;
  static constexpr std::uint32_t none = UINT32_MAX;
  std::array<std::uint32_t, ring> first_;
  std::array<std::uint64_t, ring / 64> occupied_{};
  std::vector<std::int64_t> wake_at_;
  std::vector<std::uint32_t> next_in_bucket_;
};

} // namespace kerncast::ppt_gpu_2019
