// Collects the accesses of a launch while its CTAs are executed, up to a number.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "functional/grid_trace.h"
#include "warp/access_patterns.h"

namespace kerncast::functional {

class AccessTracer {
public:
  // `ctas_per_cluster`: that are executed at the same time.
  AccessTracer(std::uint32_t address_bits, std::uint32_t warps_per_cta, std::uint64_t ctas_per_cluster,
               std::uint64_t max_accesses, std::uint64_t max_patterns)
      : max_accesses_(max_accesses), patterns_(address_bits, max_patterns),
        warps_(warps_per_cta * ctas_per_cluster) {
    trace_.warps_per_cta = warps_per_cta;
  }

  // An access of a warp of the cluster at hand, numbered CTA by CTA; warps take turns.
  void add(std::uint32_t warp, const warp::AccessStep& step, const warp::Lanes<std::uint64_t>& addresses,
           warp::LaneMask lanes);
  void add_unknown(std::uint32_t warp, const warp::AccessStep& step, warp::LaneMask lanes);
  // The numbers of its CTAs in the grid, by rank.
  void finish_cluster(std::span<const std::uint64_t> ctas);
  // The launch has more accesses than are kept: it has no trace.
  bool is_over() const { return count_ > max_accesses_; }
  std::shared_ptr<const GridTrace> take();

private:
  void add(std::uint32_t warp, const std::optional<tasklist::TracedAccess>& access);

  std::uint64_t max_accesses_;
  std::uint64_t count_ = 0;
  warp::AccessPatterns patterns_;
  std::vector<std::vector<GridTrace::Access>> warps_; // of the cluster at hand
  GridTrace trace_;
};

} // namespace kerncast::functional
