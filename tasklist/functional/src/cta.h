// Executes one CTA after another; each thread of the host has one of these.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "barriers.h"
#include "counts.h"
#include "recorder.h"
#include "warp.h"

namespace kerncast::functional {

class CtaExecutor {
public:
  explicit CtaExecutor(const LaunchState& state);

  // `recorder` may be null.
  std::optional<Fault> run(tasklist::Dim3 cta, Recorder* recorder);
  const Counts& counts() const { return counts_; }

private:
  std::optional<Fault> take_turn(std::uint32_t warp);
  std::optional<Fault> paused(std::uint32_t warp) const;
  Fault deadlock() const;

  const LaunchState& state_;
  AddressSpace space_;
  std::optional<RaceCheck> races_;
  MemoryUnit memory_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<bool> finished_; // by warp
  std::uint32_t running_ = 0;  // warps not finished
  Barriers barriers_;
  Counts counts_;
};

} // namespace kerncast::functional
