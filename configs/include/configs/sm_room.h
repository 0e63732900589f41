// What is free on an SM whose CTAs may be those of several kernels, by the rules of occupancy.h: as many CTAs
// of one kernel fit on an empty SM as that says of a grid that does not limit them.
//
// Registers are granted to warps on one of the SM's partitions each; a CTA's warps go one after the other to
// the partition that has most left. Left out: warp_check_granularity.
#pragma once

#include <cstdint>
#include <vector>

#include "configs/occupancy.h"

namespace kerncast::configs {

// What one CTA takes, allocation granularities included.
struct CtaDemand {
  std::uint32_t warps = 1;
  std::uint32_t registers_per_warp = 0;
  std::uint32_t registers_per_cta = 0; // instead, where they are granted to whole CTAs
  std::uint32_t shared_bytes = 0;
};

// Of a CTA that fits on an SM.
CtaDemand demand_of(const CtaResources& cta, const Gpu& gpu);

class SmRoom {
public:
  // An empty SM.
  explicit SmRoom(const ResidencyLimits& limits);

  // How many more CTAs of that kind fit.
  std::uint32_t ctas_that_fit(const CtaDemand& cta) const;

  // Warps of a CTA by partition of the register file.
  using WarpsByPartition = std::vector<std::uint32_t>;
  // A CTA that fits.
  WarpsByPartition take(const CtaDemand& cta);
  void give_back(const CtaDemand& cta, const WarpsByPartition& warps);

private:
  std::uint32_t ctas_;
  std::uint32_t warps_;
  std::uint32_t registers_; // where they are granted to whole CTAs
  std::uint32_t shared_bytes_;
  std::vector<std::uint32_t> registers_of_partition_;
};

} // namespace kerncast::configs
