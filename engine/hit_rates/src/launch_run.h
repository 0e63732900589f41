// The caches of all SMs and the L2s behind them while one launch, or a part of it, runs through them.
#pragma once

#include <optional>
#include <vector>

#include "access_rules.h"
#include "atomic_addresses.h"
#include "caches/sectored_cache.h"
#include "hit_counts.h"
#include "hit_rates/device_caches.h"
#include "hottest_line.h"
#include "l2s.h"
#include "launch_stream.h"
#include "other_sizes.h"
#include "touched_lines.h"

namespace kerncast::hit_rates {

// What an entry of a TLB covers: the page size of NVIDIA's drivers for large allocations (Mei and Chu,
// Dissecting GPU Memory Hierarchy through Microbenchmarking, 2017, on Fermi to Maxwell; Jia et al.,
// Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018).
inline constexpr std::uint64_t page_bytes = std::uint64_t{2} << 20;

struct CachesInUse {
  std::vector<caches::SectoredCache> l1; // by SM
  L2sInUse l2s;
  std::vector<caches::SectoredCache> constants = {}; // by SM; none: all constants hit. Every line is followed
  std::optional<caches::SectoredCache> tlb = {};     // of pages; none: every page is translated for free
  std::vector<OtherSizes> l1_sizes = {};             // by SM, for the bounds of hit rates, if they are wanted
};

class LaunchRun {
public:
  // All arguments must outlive the object.
  LaunchRun(const LaunchAccesses& launch, const configs::Gpu& gpu, const Effort& effort, CachesInUse& caches);

  // Counts what CTAs [first, first + count) do after their first `uncounted` accesses, by L2.
  std::vector<HitCounts> run(std::uint64_t first, std::uint64_t count, std::uint64_t uncounted);

private:
  std::uint64_t take_hottest_line(std::uint64_t to_start);
  void do_access(const StreamedAccess& access);
  void do_line(const StreamedAccess& access, AccessRule rule, const TouchedLine& touched,
               std::uint64_t number, std::uint8_t group);
  void store_l1(std::uint32_t sm, std::uint64_t number, const TouchedLine& touched);
  void drop_from_l1(std::uint32_t sm, std::uint64_t number, caches::SectorMask sectors);
  caches::SectorMask load_l1(const StreamedAccess& access, const TouchedLine& touched, std::uint64_t number,
                             SectorCounts& here);
  void to_l2(const L2Access& access);
  void run_l2s();
  std::vector<HitCounts> take_counts();
  void load_constants(const StreamedAccess& access, const TouchedLine& touched, std::uint64_t number);
  bool is_followed(std::uint64_t hash) const;
  void translate(AccessRule rule, std::uint64_t address);
  void count_translation(tasklist::TaskId task, AccessRule rule);
  void scatter(const StreamedAccess& access, AccessRule rule, const tasklist::AccessPattern& pattern);
  void do_sampled(const StreamedAccess& access, AccessRule rule, const TouchedLine& touched,
                  std::uint64_t number);
  std::uint32_t lanes_of(const StreamedAccess& access, const tasklist::AccessPattern& pattern) const;
  void count_unknown(tasklist::TaskId task, AccessRule rule, const tasklist::AccessPattern& pattern);

  const LaunchAccesses& launch_;
  const configs::Gpu& gpu_;
  std::uint32_t shift_;
  CachesInUse& caches_;
  std::vector<AccessRule> rules_;
  TouchedLines lines_;
  LaunchStream stream_;
  AtomicAddresses atomics_;
  HottestLine hottest_line_;
  std::uint64_t resident_ctas_;
  HitCounts counts_; // of what does not depend on L2
  L2sRun l2s_;
  std::vector<L2Access> for_l2s_;        // that the L2s have not seen yet
  std::uint64_t scattered_ = 0;          // lanes so far
  std::uint64_t last_page_ = UINT64_MAX; // that the TLB was asked for
  bool page_missed_ = false;             // by the access at hand
};

} // namespace kerncast::hit_rates
