// The caches of all SMs and L2 while one launch, or a part of it, runs through them.
#pragma once

#include <optional>
#include <vector>

#include "access_rules.h"
#include "caches/sectored_cache.h"
#include "hit_counts.h"
#include "hit_rates/device_caches.h"
#include "launch_stream.h"
#include "other_sizes.h"
#include "touched_lines.h"

namespace kerncast::hit_rates {

struct CachesInUse {
  std::vector<caches::SectoredCache> l1; // by SM
  caches::SectoredCache l2;
  // For the bounds of hit rates, if they are wanted.
  std::vector<OtherSizes> l1_sizes = {}; // by SM
  std::optional<OtherSizes> l2_sizes = {};
};

class LaunchRun {
public:
  // All arguments must outlive the object.
  LaunchRun(const LaunchAccesses& launch, const configs::Gpu& gpu, const Effort& effort, CachesInUse& caches);

  // Counts what CTAs [first, first + count) do after their first `uncounted` accesses.
  HitCounts run(std::uint64_t first, std::uint64_t count, std::uint64_t uncounted);

private:
  void do_access(const StreamedAccess& access);
  void do_line(const StreamedAccess& access, AccessRule rule, const TouchedLine& touched,
               std::uint64_t number, std::uint64_t group);
  void store_l1(std::uint32_t sm, std::uint64_t number, const TouchedLine& touched);
  void drop_from_l1(std::uint32_t sm, std::uint64_t number, caches::SectorMask sectors);
  void load_l1(const StreamedAccess& access, const TouchedLine& touched, std::uint64_t number,
               SectorCounts& here);
  void load_l2(std::uint64_t number, caches::SectorMask wanted, SectorCounts& here);
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
  CachesInUse& caches_;
  std::vector<AccessRule> rules_;
  TouchedLines lines_;
  LaunchStream stream_;
  HitCounts counts_;
  std::uint64_t scattered_ = 0; // lanes so far
};

} // namespace kerncast::hit_rates
