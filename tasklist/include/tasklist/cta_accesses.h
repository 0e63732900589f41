// The accesses of single CTAs to global and local memory, with their addresses: what caches see.
//
// CTAs whose addresses differ by a constant per step in the grid share one trace. Left out: shared memory and
// parameters, and constants of modules that have so few that every constant cache holds them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tasklist/behaviour.h"
#include "tasklist/launch.h"

namespace kerncast::tasklist {

// The lanes of a warp-wide access relative to its lowest active lane, whose offset is 0.
struct AccessPattern {
  bool known = true;       // false: depends on unknown data; addresses are meaningless
  std::uint64_t reach = 0; // not known: lanes lie in so many bytes from the address on; 0: nobody knows where
  std::uint64_t grain = 1; // likewise: by multiples of which each lane lies behind it
  bool local = false;      // a thread's own memory: the address lies in the warp's frame
  std::uint32_t mask = 0;  // active lanes
  std::uint16_t bytes = 0; // per lane
  std::array<std::int64_t, lanes_per_warp> offsets{}; // bytes; 0 for inactive lanes
  // Where a lane can lie that is not known.
  std::uint64_t places() const { return reach < bytes ? 1 : (reach - bytes) / grain + 1; }
  friend bool operator==(const AccessPattern&, const AccessPattern&) = default;
};

struct TracedAccess {
  std::uint64_t address = 0;           // of the lowest active lane, bytes
  std::array<std::uint64_t, 3> step{}; // bytes per CTA in x, y and z, modulo 2^64
  TaskId task = 0;
  std::uint32_t pattern = 0; // in AccessSource::patterns(), or PlacedTrace::own_patterns
  bool follows = false;      // its warp has waited for nothing since its access before
  friend bool operator==(const TracedAccess&, const TracedAccess&) = default;
};

struct CtaTrace {
  std::vector<TracedAccess> accesses;    // warp after warp, each in program order
  std::vector<std::uint32_t> warp_begin; // first access of every warp, and the number of all
  bool truncated = false;                // some warp has more accesses than were asked for
};

// A trace and how many CTAs away from its own place it is used.
struct PlacedTrace {
  std::shared_ptr<const CtaTrace> trace;
  std::array<std::uint64_t, 3> moved{};                                     // CTAs in x, y, z
  std::shared_ptr<const std::vector<AccessPattern>> own_patterns = nullptr; // null: those of the source

  std::uint64_t address(const TracedAccess& access) const {
    return access.address + moved[0] * access.step[0] + moved[1] * access.step[1] + moved[2] * access.step[2];
  }
};

// Whoever knows the addresses of a launch.
class AccessSource {
public:
  virtual ~AccessSource() = default;
  // CTA `number` in the order x, y, z.
  virtual PlacedTrace cta(std::uint64_t number) = 0;
  virtual const std::vector<AccessPattern>& patterns() const = 0;
  // CTAs that were executed to answer; the others were moved from these.
  virtual std::uint64_t executed() const = 0;
};

} // namespace kerncast::tasklist
