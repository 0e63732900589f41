#include "configs/sm_room.h"

#include <algorithm>
#include <cassert>

#include "dram_keys.h"

namespace kerncast::configs {

SmRoom::SmRoom(const ResidencyLimits& limits)
    : ctas_(limits.ctas_per_sm),
      warps_(
          std::min(limits.warps_per_sm, static_cast<std::uint32_t>(limits.threads_per_sm / lanes_per_warp))),
      registers_(limits.registers_per_sm), shared_bytes_(limits.shared_bytes_per_sm),
      registers_of_partition_(std::max(1U, limits.warp_allocation_granularity),
                              limits.registers_per_sm / std::max(1U, limits.warp_allocation_granularity)) {}

std::uint32_t SmRoom::ctas_that_fit(const CtaDemand& cta) const {
  std::uint32_t fit = std::min(ctas_, warps_ / cta.warps);
  if (cta.shared_bytes > 0)
    fit = std::min(fit, shared_bytes_ / cta.shared_bytes);
  if (cta.registers_per_cta > 0)
    fit = std::min(fit, registers_ / cta.registers_per_cta);
  if (cta.registers_per_warp == 0)
    return fit;
  std::uint32_t warps = 0;
  for (const std::uint32_t registers : registers_of_partition_)
    warps += registers / cta.registers_per_warp;
  return std::min(fit, warps / cta.warps);
}

SmRoom::WarpsByPartition SmRoom::take(const CtaDemand& cta) {
  assert(ctas_that_fit(cta) > 0 && "a CTA is placed where it fits");
  --ctas_;
  warps_ -= cta.warps;
  registers_ -= cta.registers_per_cta;
  shared_bytes_ -= cta.shared_bytes;
  WarpsByPartition warps(registers_of_partition_.size(), 0);
  for (std::uint32_t i = 0; i < cta.warps; ++i) {
    const auto most = std::max_element(registers_of_partition_.begin(), registers_of_partition_.end());
    *most -= cta.registers_per_warp;
    ++warps[static_cast<std::size_t>(most - registers_of_partition_.begin())];
  }
  return warps;
}

void SmRoom::give_back(const CtaDemand& cta, const WarpsByPartition& warps) {
  ++ctas_;
  warps_ += cta.warps;
  registers_ += cta.registers_per_cta;
  shared_bytes_ += cta.shared_bytes;
  for (std::size_t i = 0; i < warps.size(); ++i)
    registers_of_partition_[i] += warps[i] * cta.registers_per_warp;
}

} // namespace kerncast::configs
