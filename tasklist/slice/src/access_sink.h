// Collects the addresses of a CTA's accesses to global and local memory.
#pragma once

#include <vector>

#include "tasklist/cta_accesses.h"
#include "warp/access_patterns.h"
#include "warp/bulk_footprint.h"
#include "warp/lane_file.h"
#include "warp/program.h"
#include "warp_names.h"

namespace kerncast::slice {

class AccessSink {
public:
  AccessSink(const Program& program, std::uint64_t accesses_per_warp);

  void start_warp() { trace_.warp_begin.push_back(static_cast<std::uint32_t>(trace_.accesses.size())); }
  // The warp at hand has given all that is wanted of it.
  bool full() const { return trace_.accesses.size() - trace_.warp_begin.back() >= accesses_per_warp_; }
  void cut() { trace_.truncated = true; }
  // Whether iterations of the loop access memory, so that none may be skipped.
  bool watches(std::uint32_t loop) const { return watched_loops_[loop]; }

  void add(const AccessStep& step, const Lanes<std::uint64_t>& addresses, LaneMask lanes);
  void add_unknown(const AccessStep& step, LaneMask lanes, AddressExtent in);
  // Of a bulk copy: as many accesses as its rows need.
  void add_rows(const AccessStep& step, const std::vector<MovedRow>& rows);

  // The CTA's trace; the sink is empty again.
  tasklist::CtaTrace take();
  const std::vector<tasklist::AccessPattern>& patterns() const { return patterns_.all(); }
  // Leaves none behind.
  std::vector<tasklist::AccessPattern> take_patterns() { return patterns_.take(); }

private:
  std::uint64_t accesses_per_warp_;
  std::vector<bool> watched_loops_;
  tasklist::CtaTrace trace_;
  AccessPatterns patterns_;
};

} // namespace kerncast::slice
