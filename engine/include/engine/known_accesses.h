// Whoever knows the addresses of a stepped SM's accesses, and what its L1 holds.
#pragma once

#include <cstdint>

#include "engine/sm_time.h"

namespace kerncast::engine {

class KnownAccesses {
public:
  enum class Where : std::uint8_t {
    unknown, // no addresses: the request's rates decide
    l1,      // all of it is there
    coming,  // all of it is there or on its way to L1
    beyond,  // some of it must cross the link to L2
  };
  struct Found {
    Where where = Where::unknown;
    Time at = 0;              // l1: not there before
    std::uint32_t access = 0; // coming, beyond: its number
    double l2_bytes = 0;      // beyond: that cross the link
  };

  virtual ~KnownAccesses() = default;
  // Warp `warp` (its CTA's slot * warps of a slot + its number in the CTA) executes operation `op` of the
  // program, which issues at `start`. Called in the order of the cycles of issue.
  virtual Found look_up(std::uint32_t warp, std::uint32_t op, Time start) = 0;
  // Somebody waits for the access, which is beyond or coming, as for the miss `number` of SteppedSm::arrive.
  virtual void await(std::uint32_t access, std::uint32_t number) = 0;
};

} // namespace kerncast::engine
