// Which lines an access touches, which of them are sampled, what they do to L1, and what is left for L2.
#include "launch_run.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "machine/program.h"

namespace kerncast::hit_rates {

using caches::CacheLine;
using caches::SectorMask;

namespace {

// Sampled lines must not be those that fall together in caches or tables, which hash without a seed.
constexpr std::uint64_t sampling_seed = 0x9e3779b97f4a7c15ULL;

// Accesses that wait for the L2s: so few that they stay in the processor's own caches.
constexpr std::size_t most_for_l2s = 2048;

std::uint64_t hash_of(std::uint64_t line) { return caches::hash_line(line ^ sampling_seed); }

std::uint8_t group_of(std::uint64_t hash) { return static_cast<std::uint8_t>(hash >> 60); }

} // namespace

LaunchRun::LaunchRun(const LaunchAccesses& launch, const configs::Gpu& gpu, const Effort& effort,
                     CachesInUse& caches)
    : launch_(launch), gpu_(gpu), shift_(effort.sampling_shift), caches_(caches),
      rules_(access_rules(launch.list, gpu)), lines_(launch.source.patterns(), gpu.l1),
      stream_(launch.source, gpu.sms, launch.ctas_per_sm, launch.launch.warps_per_cta(),
              (std::uint64_t{launch.list.local_bytes_per_thread} + launch.spill_bytes) *
                  tasklist::lanes_per_warp),
      atomics_(rules_.size()), hottest_line_(rules_.size()),
      resident_ctas_(std::uint64_t{gpu.sms} * launch.ctas_per_sm), counts_(rules_.size()),
      l2s_(caches.l2s, gpu.l1, rules_.size()) {
  for_l2s_.reserve(most_for_l2s);
}

std::vector<HitCounts> LaunchRun::run(std::uint64_t first, std::uint64_t count, std::uint64_t uncounted) {
  take_counts();
  stream_.start(first, count);
  StreamedAccess access;
  std::uint64_t to_start = stream_.ctas_to_start();
  for (std::uint64_t done = 0; stream_.next(access); ++done) {
    if (done == uncounted && done > 0)
      take_counts();
    do_access(access);
    to_start = take_hottest_line(to_start);
  }
  return take_counts();
}

// CTAs that are resident together wait for one line, others for another: each set of them, or
// several of few loads, has its own, the last ones with those before them.
std::uint64_t LaunchRun::take_hottest_line(std::uint64_t to_start) {
  const std::uint64_t left = stream_.ctas_to_start();
  if (left < resident_ctas_ || to_start - left < resident_ctas_ || !hottest_line_.has_many())
    return to_start;
  hottest_line_.take(counts_.by_task);
  return left;
}

// Those since it was asked last.
std::vector<HitCounts> LaunchRun::take_counts() {
  run_l2s();
  atomics_.take(counts_.by_task);
  hottest_line_.take(counts_.by_task);
  return l2s_.take_counts(std::exchange(counts_, HitCounts(rules_.size())));
}

void LaunchRun::to_l2(const L2Access& access) {
  for_l2s_.push_back(access);
  if (for_l2s_.size() == most_for_l2s)
    run_l2s();
}

void LaunchRun::run_l2s() {
  l2s_.run(for_l2s_);
  for_l2s_.clear();
}

void LaunchRun::do_access(const StreamedAccess& access) {
  const tasklist::AccessPattern& pattern = launch_.source.patterns()[access.pattern];
  const AccessRule rule = rules_[access.task];
  if (!pattern.known)
    return pattern.reach >= pattern.bytes && pattern.bytes > 0 ? scatter(access, rule, pattern)
                                                               : count_unknown(access.task, rule, pattern);
  if (rule.effect == Effect::atomic)
    atomics_.add(access.task, access.address, pattern, lanes_of(access, pattern));
  const std::uint64_t line = access.address / gpu_.l1.line_bytes;
  const auto phase = static_cast<std::uint32_t>(access.address % gpu_.l1.line_bytes);
  for (const TouchedLine& touched : lines_.of(access.pattern, phase)) {
    const std::uint64_t number = line + static_cast<std::uint64_t>(touched.offset);
    translate(rule, number * gpu_.l1.line_bytes);
    if (rule.effect == Effect::load && !rule.through_l1)
      hottest_line_.load(access.task, number, sectors_in(touched.touched));
    do_sampled(access, rule, touched, number);
  }
  count_translation(access.task, rule);
}

void LaunchRun::do_sampled(const StreamedAccess& access, AccessRule rule, const TouchedLine& touched,
                           std::uint64_t number) {
  if (rule.effect == Effect::constant)
    return load_constants(access, touched, number);
  if (const std::uint64_t hash = hash_of(number); is_followed(hash))
    do_line(access, rule, touched, number, group_of(hash));
}

bool LaunchRun::is_followed(std::uint64_t hash) const {
  return (hash & ((std::uint64_t{1} << shift_) - 1)) == 0;
}

// Constant caches are too small for one line in many to stand for all.
void LaunchRun::load_constants(const StreamedAccess& access, const TouchedLine& touched,
                               std::uint64_t number) {
  if (caches_.constants.empty())
    return;
  SectorMask evicted = 0;
  const SectorMask missed =
      touched.touched & ~caches_.constants[access.sm].find_or_add(number, evicted).load(touched.touched);
  SectorCounts here;
  here.constant_requested = sectors_in(touched.touched);
  here.constant_missed = sectors_in(missed);
  const std::uint64_t hash = hash_of(number);
  const bool asks_l2 = missed != 0 && is_followed(hash);
  if (asks_l2) {
    here.l2_loaded = sectors_in(missed);
    to_l2({.line = number, .sectors = missed, .task = access.task, .group = group_of(hash)});
  }
  counts_.by_task[access.task].add(here, 1);
  if (asks_l2)
    counts_.by_group[group_of(hash)].add(here, 1);
}

// Every access asks, also where L1 then has the line: its page is then among the last used anyway.
void LaunchRun::translate(AccessRule rule, std::uint64_t address) {
  if (!caches_.tlb || rule.effect == Effect::constant || address / page_bytes == last_page_)
    return;
  last_page_ = address / page_bytes;
  SectorMask evicted = 0;
  CacheLine& entry = caches_.tlb->find_or_add(last_page_, evicted);
  page_missed_ = page_missed_ || entry.valid == 0;
  entry.valid = 1;
}

void LaunchRun::count_translation(tasklist::TaskId task, AccessRule rule) {
  if (!caches_.tlb || rule.effect == Effect::constant)
    return;
  counts_.by_task[task].translated += 1;
  counts_.by_task[task].tlb_missed += std::exchange(page_missed_, false) ? 1 : 0;
}

std::uint32_t LaunchRun::lanes_of(const StreamedAccess& access,
                                  const tasklist::AccessPattern& pattern) const {
  return machine::accessing_lanes(access.task < launch_.one_lane.size() && launch_.one_lane[access.task],
                                  pattern.mask);
}

// Each lane anywhere in its reach, drawn anew for each.
void LaunchRun::scatter(const StreamedAccess& access, AccessRule rule,
                        const tasklist::AccessPattern& pattern) {
  const std::uint32_t mask = lanes_of(access, pattern);
  const bool counts_lanes = rule.effect == Effect::atomic && atomics_.begin_access(access.task, mask);
  for (int lanes = std::popcount(mask); lanes > 0; --lanes) {
    const std::uint64_t at =
        access.address + caches::hash_line(++scattered_) % pattern.places() * pattern.grain;
    if (counts_lanes)
      atomics_.add_lane(access.task, at);
    translate(rule, at);
    do_sampled(
        access, rule,
        {.touched = sectors_at(at, pattern.bytes, gpu_.l1), .parts = parts_at(at, pattern.bytes, gpu_.l1)},
        at / gpu_.l1.line_bytes);
  }
  count_translation(access.task, rule);
}

void LaunchRun::do_line(const StreamedAccess& access, AccessRule rule, const TouchedLine& touched,
                        std::uint64_t number, std::uint8_t group) {
  using enum L2Access::Kind;
  SectorCounts here;
  SectorMask wanted = 0; // of L2
  switch (rule.effect) {
  case Effect::load:
    here.l1_requested = sectors_in(touched.touched);
    wanted = rule.through_l1 ? load_l1(access, touched, number, here) : touched.touched;
    break;
  case Effect::store:
    store_l1(access.sm, number, touched);
    here.stored = sectors_in(touched.touched);
    break;
  case Effect::atomic:
    drop_from_l1(access.sm, number, touched.touched);
    wanted = touched.touched;
    break;
  case Effect::constant:
    assert(false && "constants have caches of their own");
    break;
  }
  here.l2_loaded = sectors_in(wanted);
  if (wanted != 0)
    to_l2({.line = number, .sectors = wanted, .task = access.task, .group = group, .kind = load});
  if (rule.effect != Effect::load)
    to_l2({.line = number,
           .sectors = touched.touched,
           .parts = touched.parts,
           .task = access.task,
           .group = group,
           .kind = store});
  counts_.by_task[access.task].add(here, 1);
  counts_.by_group[group].add(here, 1);
}

void LaunchRun::store_l1(std::uint32_t sm, std::uint64_t number, const TouchedLine& touched) {
  if (!gpu_.l1_keeps_stores)
    return drop_from_l1(sm, number, touched.touched);
  SectorMask evicted = 0;
  caches_.l1[sm].find_or_add(number, evicted).valid |= touched.complete;
  if (!caches_.l1_sizes.empty())
    caches_.l1_sizes[sm].fill(number, touched.complete);
}

void LaunchRun::drop_from_l1(std::uint32_t sm, std::uint64_t number, SectorMask sectors) {
  if (CacheLine* held = caches_.l1[sm].find(number))
    held->valid &= ~sectors;
  if (!caches_.l1_sizes.empty())
    caches_.l1_sizes[sm].drop(number, sectors);
}

// Sectors that miss.
SectorMask LaunchRun::load_l1(const StreamedAccess& access, const TouchedLine& touched, std::uint64_t number,
                              SectorCounts& here) {
  SectorMask evicted = 0;
  const SectorMask hit = caches_.l1[access.sm].find_or_add(number, evicted).load(touched.touched);
  here.l1_hit = sectors_in(hit);
  if (!caches_.l1_sizes.empty()) {
    const auto [lost, gained] = caches_.l1_sizes[access.sm].load(number, touched.touched, hit);
    here.l1_lost = lost;
    here.l1_gained = gained;
  }
  return touched.touched & ~hit;
}

// Data at addresses that are not known are taken to be in no cache, and to displace nothing; constants, to be
// in theirs.
void LaunchRun::count_unknown(tasklist::TaskId task, AccessRule rule,
                              const tasklist::AccessPattern& pattern) {
  if (rule.effect == Effect::constant)
    return;
  const double sectors =
      double{1} * std::popcount(pattern.mask) / static_cast<double>(std::uint64_t{1} << shift_);
  SectorCounts& counts = counts_.by_task[task];
  (rule.effect == Effect::store ? counts.stored : counts.l2_loaded) += sectors;
  if (rule.effect == Effect::load) {
    counts.l1_requested += sectors;
  } else {
    counts_.written_back += sectors;
    counts_.made_dirty += sectors;
    counts.cleaned += sectors;
  }
  counts_.unknown += sectors;
}

} // namespace kerncast::hit_rates
