// Which lines an access touches, which of them are sampled, and what they do to L1 and L2.
#include "launch_run.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace kerncast::hit_rates {

using caches::CacheLine;
using caches::SectorMask;

namespace {

// Sampled lines must not be those that fall together in caches or tables, which hash without a seed.
constexpr std::uint64_t sampling_seed = 0x9e3779b97f4a7c15ULL;

std::uint64_t hash_of(std::uint64_t line) { return caches::hash_line(line ^ sampling_seed); }

double bits(SectorMask mask) { return static_cast<double>(std::popcount(mask)); }

} // namespace

LaunchRun::LaunchRun(const LaunchAccesses& launch, const configs::Gpu& gpu, const Effort& effort,
                     CachesInUse& caches)
    : launch_(launch), gpu_(gpu), shift_(effort.sampling_shift), caches_(caches),
      rules_(access_rules(launch.list, gpu)), lines_(launch.source.patterns(), gpu.l1),
      stream_(launch.source, gpu.sms, launch.ctas_per_sm, launch.launch.warps_per_cta(),
              (std::uint64_t{launch.list.local_bytes_per_thread} + launch.spill_bytes) *
                  tasklist::lanes_per_warp) {}

template <class Use> void LaunchRun::use_l2_line(std::uint64_t number, SectorMask sectors, Use&& use) {
  SectorMask evicted = 0;
  CacheLine& line = caches_.l2.find_or_add(number, evicted);
  counts_.written_back += bits(evicted);
  counts_.lines_added += (line.valid | line.dirty) == 0 ? 1 : 0;
  use(line, sectors, number);
}

// Hands out the L2 lines and their sectors that hold sectors of an L1 line.
template <class Use> void LaunchRun::for_each_l2_line(std::uint64_t number, SectorMask sectors, Use&& use) {
  const std::uint64_t l1_line = gpu_.l1.line_bytes, l2_line = gpu_.l2.line_bytes;
  if (l1_line == l2_line && lines_.sector_bytes() == sector_bytes_of(gpu_.l2))
    return use_l2_line(number, sectors, use);
  for (std::uint32_t s = 0; s < l1_line / lines_.sector_bytes(); ++s) {
    if ((sectors >> s & 1U) == 0)
      continue;
    const std::uint64_t address = number * l1_line + std::uint64_t{s} * lines_.sector_bytes();
    use_l2_line(address / l2_line, SectorMask{1} << (address % l2_line / sector_bytes_of(gpu_.l2)), use);
  }
}

HitCounts LaunchRun::run(std::uint64_t first, std::uint64_t count, std::uint64_t uncounted) {
  counts_ = HitCounts(rules_.size());
  stream_.start(first, count);
  StreamedAccess access;
  for (std::uint64_t done = 0; stream_.next(access); ++done) {
    if (done == uncounted && done > 0)
      counts_ = HitCounts(rules_.size());
    do_access(access);
  }
  return std::move(counts_);
}

void LaunchRun::do_access(const StreamedAccess& access) {
  const tasklist::AccessPattern& pattern = launch_.source.patterns()[access.pattern];
  const AccessRule rule = rules_[access.task];
  if (!pattern.known)
    return pattern.reach >= pattern.bytes && pattern.bytes > 0 ? scatter(access, rule, pattern)
                                                               : count_unknown(access.task, rule, pattern);
  const std::uint64_t line = access.address / gpu_.l1.line_bytes;
  const auto phase = static_cast<std::uint32_t>(access.address % gpu_.l1.line_bytes);
  for (const TouchedLine& touched : lines_.of(access.pattern, phase)) {
    const std::uint64_t number = line + static_cast<std::uint64_t>(touched.offset);
    translate(rule, number * gpu_.l1.line_bytes);
    do_sampled(access, rule, touched, number);
  }
  count_translation(access.task, rule);
}

void LaunchRun::do_sampled(const StreamedAccess& access, AccessRule rule, const TouchedLine& touched,
                           std::uint64_t number) {
  if (rule.effect == Effect::constant)
    return load_constants(access, touched, number);
  if (const std::uint64_t hash = hash_of(number); is_followed(hash))
    do_line(access, rule, touched, number, hash >> 60);
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
  CacheLine& line = caches_.constants[access.sm].find_or_add(number, evicted);
  const SectorMask missed = touched.touched & ~std::exchange(line.valid, line.valid | touched.touched);
  SectorCounts here;
  here.constant_requested = bits(touched.touched);
  here.constant_missed = bits(missed);
  const std::uint64_t hash = hash_of(number);
  const bool asks_l2 = missed != 0 && is_followed(hash);
  if (asks_l2)
    load_l2(number, missed, here);
  counts_.by_task[access.task].add(here, 1);
  if (asks_l2)
    counts_.by_group[hash >> 60].add(here, 1);
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

// Each lane anywhere in its reach, drawn anew for each.
void LaunchRun::scatter(const StreamedAccess& access, AccessRule rule,
                        const tasklist::AccessPattern& pattern) {
  const std::uint64_t line_bytes = gpu_.l1.line_bytes, sector_bytes = lines_.sector_bytes();
  for (int lanes = std::popcount(pattern.mask); lanes > 0; --lanes) {
    const std::uint64_t drawn = caches::hash_line(++scattered_) % (pattern.reach / pattern.bytes);
    const std::uint64_t at = access.address + drawn * pattern.bytes;
    const std::uint64_t first = at % line_bytes / sector_bytes;
    const std::uint64_t last = std::min(line_bytes - 1, at % line_bytes + pattern.bytes - 1) / sector_bytes;
    const SectorMask touched = ((SectorMask{2} << last) - 1) & ~((SectorMask{1} << first) - 1);
    translate(rule, at);
    do_sampled(access, rule, {0, touched, 0}, at / line_bytes);
  }
  count_translation(access.task, rule);
}

void LaunchRun::do_line(const StreamedAccess& access, AccessRule rule, const TouchedLine& touched,
                        std::uint64_t number, std::uint64_t group) {
  SectorCounts here;
  switch (rule.effect) {
  case Effect::load:
    here.l1_requested = bits(touched.touched);
    if (rule.through_l1)
      load_l1(access, touched, number, here);
    else
      load_l2(number, touched.touched, here);
    break;
  case Effect::store:
    store_l1(access.sm, number, touched);
    store_l2(number, touched.touched);
    here.stored = bits(touched.touched);
    break;
  case Effect::atomic:
    drop_from_l1(access.sm, number, touched.touched);
    load_l2(number, touched.touched, here);
    store_l2(number, touched.touched);
    break;
  case Effect::constant:
    assert(false && "constants have caches of their own");
    break;
  }
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

void LaunchRun::load_l1(const StreamedAccess& access, const TouchedLine& touched, std::uint64_t number,
                        SectorCounts& here) {
  SectorMask evicted = 0;
  CacheLine& line = caches_.l1[access.sm].find_or_add(number, evicted);
  const SectorMask hit = std::exchange(line.valid, line.valid | touched.touched) & touched.touched;
  here.l1_hit = bits(hit);
  if (!caches_.l1_sizes.empty()) {
    const auto [lost, gained] = caches_.l1_sizes[access.sm].load(number, touched.touched, hit);
    here.l1_lost = lost;
    here.l1_gained = gained;
  }
  if (hit != touched.touched)
    load_l2(number, touched.touched & ~hit, here);
}

void LaunchRun::load_l2(std::uint64_t number, SectorMask wanted, SectorCounts& here) {
  here.l2_loaded = bits(wanted);
  for_each_l2_line(number, wanted, [&](CacheLine& line, SectorMask sectors, std::uint64_t l2_line) {
    const SectorMask hit = std::exchange(line.valid, line.valid | sectors) & sectors;
    here.l2_hit += bits(hit);
    if (caches_.l2_sizes) {
      const auto [lost, gained] = caches_.l2_sizes->load(l2_line, sectors, hit);
      here.l2_lost += lost;
      here.l2_gained += gained;
    }
  });
}

void LaunchRun::store_l2(std::uint64_t number, SectorMask written) {
  for_each_l2_line(number, written, [this](CacheLine& line, SectorMask sectors, std::uint64_t l2_line) {
    if (caches_.l2_sizes)
      caches_.l2_sizes->fill(l2_line, sectors);
    counts_.made_dirty += bits(sectors & ~line.dirty);
    line.valid |= sectors;
    line.dirty |= sectors;
  });
}

// Data at addresses that are not known are taken to be in no cache, and to displace nothing; constants, to be
// in theirs.
void LaunchRun::count_unknown(tasklist::TaskId task, AccessRule rule,
                              const tasklist::AccessPattern& pattern) {
  if (rule.effect == Effect::constant)
    return;
  const double sectors = bits(pattern.mask) / static_cast<double>(std::uint64_t{1} << shift_);
  SectorCounts& counts = counts_.by_task[task];
  (rule.effect == Effect::store ? counts.stored : counts.l2_loaded) += sectors;
  if (rule.effect == Effect::load)
    counts.l1_requested += sectors;
  if (rule.effect == Effect::store)
    counts_.written_back += sectors;
  counts_.unknown += sectors;
}

} // namespace kerncast::hit_rates
