// Executes one CTA after another, each in turns, so that the CTAs of a cluster may wait for each other.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "barriers.h"
#include "cluster_state.h"
#include "counts.h"
#include "recorder.h"
#include "warp.h"

namespace kerncast::functional {

class CtaExecutor {
public:
  // What a round came to.
  enum class Round : std::uint8_t { moved, waits, finished, faulted };

  // `cluster` and `counts` outlive it; `rank`: which of the cluster's members this is.
  CtaExecutor(const LaunchState& state, ClusterState& cluster, std::uint32_t rank, Counts& counts);

  // `recorder` may be null.
  void start(tasklist::Dim3 cta, Recorder* recorder);
  // Each warp that can go on has a turn.
  Round take_round();
  // All warps of the cluster have met.
  void next_phase();
  const Fault& fault() const { return fault_; }
  // That those who are left wait for nobody.
  Fault deadlock() const;

private:
  // At the cluster's barrier, by warp.
  struct Arrival {
    bool has_arrived = false; // and not waited yet
    bool waits = false;
    std::uint64_t phase = 0; // in which it arrived
  };
  bool is_waiting(std::uint32_t warp) const;
  bool take_turn(std::uint32_t warp);
  bool meet_cluster(std::uint32_t warp);
  void leave(std::uint32_t warp);
  bool check_tensors();
  bool paused(std::uint32_t warp);
  bool fail(Fault fault);

  const LaunchState& state_;
  ClusterState& cluster_;
  const std::uint32_t rank_;
  Counts& counts_;
  AddressSpace space_;
  std::optional<RaceCheck> races_;
  MemoryUnit memory_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<bool> finished_; // by warp
  std::vector<Arrival> arrivals_;
  std::uint32_t running_ = 0; // warps not finished
  Barriers barriers_;
  Fault fault_;
};

} // namespace kerncast::functional
