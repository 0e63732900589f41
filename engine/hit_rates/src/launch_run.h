// The caches of all SMs and L2 while one launch, or a part of it, runs through them.
#pragma once

#include <vector>

#include "access_rules.h"
#include "caches/sectored_cache.h"
#include "hit_counts.h"
#include "hit_rates/device_caches.h"
#include "launch_stream.h"
#include "touched_lines.h"

namespace kerncast::hit_rates {

class LaunchRun {
public:
  // `l1`: one per SM. All arguments must outlive the object.
  LaunchRun(const LaunchAccesses& launch, const configs::Gpu& gpu, const Effort& effort,
            std::vector<caches::SectoredCache>& l1, caches::SectoredCache& l2);

  // Counts what CTAs [first, first + count) do after their first `uncounted` accesses.
  HitCounts run(std::uint64_t first, std::uint64_t count, std::uint64_t uncounted);

private:
  void do_access(const StreamedAccess& access);
  void do_line(const StreamedAccess& access, AccessRule rule, const TouchedLine& touched,
               std::uint64_t number, std::uint64_t group);
  void store_l1(caches::SectoredCache& l1, std::uint64_t number, const TouchedLine& touched) const;
  // Sectors that hit.
  double load_l2(std::uint64_t number, caches::SectorMask wanted);
  void store_l2(std::uint64_t number, caches::SectorMask written);
  template <class Use> void for_each_l2_line(std::uint64_t number, caches::SectorMask sectors, Use&& use);
  template <class Use> void use_l2_line(std::uint64_t number, caches::SectorMask sectors, Use&& use);
  void scatter(const StreamedAccess& access, AccessRule rule, const tasklist::AccessPattern& pattern);
  void do_sampled(const StreamedAccess& access, AccessRule rule, const TouchedLine& touched,
                  std::uint64_t number);
  void count_unknown(tasklist::TaskId task, AccessRule rule, const tasklist::AccessPattern& pattern);

  const LaunchAccesses& launch_;
  const configs::Gpu& gpu_;
  std::uint32_t shift_;
  std::vector<caches::SectoredCache>& l1_;
  caches::SectoredCache& l2_;
  std::vector<AccessRule> rules_;
  TouchedLines lines_;
  LaunchStream stream_;
  HitCounts counts_;
  std::uint64_t scattered_ = 0; // lanes so far
};

} // namespace kerncast::hit_rates
