// Resident warps over time, in a bounded number of equal bins that become wider as time goes on.
#pragma once

#include <algorithm>
#include <array>

#include "engine/sm_time.h"
#include "engine/sm_workload.h"

namespace kerncast::engine {

class ResidencyBins {
public:
  explicit ResidencyBins(bool enabled) : enabled_(enabled) {}

  // A warp was on the SM from `begin` to `end`.
  void add(Time begin, Time end) {
    if (!enabled_)
      return;
    while (end > width_ * bins)
      widen();
    used_ = std::max(used_, (end + width_ - 1) / width_);
    for (Time bin = begin / width_; bin < bins && bin * width_ < end; ++bin)
      time_[static_cast<std::size_t>(bin)] +=
          std::min(end, (bin + 1) * width_) - std::max(begin, bin * width_);
  }

  Residency result() const {
    Residency out;
    if (!enabled_)
      return out;
    out.bin_cycles = to_cycles(width_);
    for (Time bin = 0; bin < used_; ++bin)
      out.warp_cycles.push_back(to_cycles(time_[static_cast<std::size_t>(bin)]));
    return out;
  }

private:
  static constexpr Time bins = 64;

  void widen() {
    for (std::size_t i = 0; i < bins / 2; ++i)
      time_[i] = time_[2 * i] + time_[2 * i + 1];
    std::fill(time_.begin() + bins / 2, time_.end(), 0);
    width_ *= 2;
    used_ = (used_ + 1) / 2;
  }

  bool enabled_;
  Time width_ = one_cycle;
  Time used_ = 0;
  std::array<Time, bins> time_{};
};

} // namespace kerncast::engine
