// What the CTAs of a cluster share: where each one's shared memory lies, and the barrier of all their warps
// (PTX ISA, section 9.7.13.4, barrier.cluster).
//
// Warps arrive as a whole. A warp that has left the kernel is not waited for.
#pragma once

#include <cstdint>
#include <vector>

#include "race_check.h"
#include "tensor_memory.h"

namespace kerncast::functional {

// By rank.
struct ClusterMember {
  std::vector<std::uint8_t>* shared = nullptr;
  RaceCheck* races = nullptr; // null: not checked
  TensorMemory* tensors = nullptr;
  bool has_left = false; // all of its warps: its shared memory is gone
};

class ClusterBarrier {
public:
  void start(std::uint32_t warps) {
    live_ = warps;
    arrived_ = 0;
    phase_ = seen_ = 0;
  }
  // Phases that are over.
  std::uint64_t phase() const { return phase_; }
  void arrive() {
    ++arrived_;
    complete_if_full();
  }
  // `has_arrived`: in this phase.
  void leave(bool has_arrived) {
    --live_;
    arrived_ -= has_arrived ? 1 : 0;
    complete_if_full();
  }
  // Whether a phase has ended since the last call.
  bool take_phase_end() {
    const bool ended = seen_ != phase_;
    seen_ = phase_;
    return ended;
  }

private:
  void complete_if_full() {
    if (arrived_ == 0 || arrived_ < live_)
      return;
    arrived_ = 0;
    ++phase_;
  }

  std::uint32_t live_ = 0; // warps in the kernel
  std::uint32_t arrived_ = 0;
  std::uint64_t phase_ = 0, seen_ = 0;
};

struct ClusterState {
  std::vector<ClusterMember> members;
  ClusterBarrier barrier;
  std::string printed; // by printf, since the cluster began
};

} // namespace kerncast::functional
