// The barriers of a CTA (PTX ISA, section 9.7.13.1, bar and barrier).
//
// Warps arrive as a whole, also where only some of their lanes do.
#pragma once

#include <array>
#include <vector>

#include "warp.h"

namespace kerncast::functional {

class Barriers {
public:
  void start(std::uint32_t warps, std::uint32_t threads);
  // The warp has come to a barrier; gives it results if the barrier completes. False: a fault.
  bool arrive(std::uint32_t number, Warp& warp);
  // The warp has left the kernel: nobody waits for it any longer.
  void leave();
  bool is_waiting(std::uint32_t warp) const { return waiting_[warp]; }
  // A barrier for all warps has completed since the last call.
  bool take_phase_end();
  const Fault& fault() const { return fault_; }

private:
  struct Barrier {
    std::uint32_t arrived = 0;  // warps
    std::uint32_t expected = 0; // warps; 0: all that are in the kernel
    std::uint32_t true_lanes = 0, false_lanes = 0;
    std::vector<Warp*> waiting;
    std::vector<std::uint32_t> numbers; // of these
  };
  void complete_if_full(Barrier& barrier);
  static void give_result(const Barrier& barrier, Warp& warp);

  std::array<Barrier, warp::BarrierOp::barriers_per_cta> barriers_;
  std::vector<bool> waiting_; // by warp
  std::uint32_t live_ = 0;    // warps in the kernel
  std::uint32_t threads_ = 0;
  bool phase_ended_ = false;
  Fault fault_;
};

} // namespace kerncast::functional
