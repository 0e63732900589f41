// Which CTAs of a launch run, and rates from what was counted.
#include "hit_rates/device_caches.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "configs/l1_size.h"
#include "followed_caches.h"
#include "launch_run.h"
#include "touched_lines.h"

namespace kerncast::hit_rates {
namespace {

using caches::CacheLine;
using caches::SectoredCache;
using caches::SectorMask;

// CTAs that run of a launch at most, besides those that the SMs hold at once: each costs, whatever it does.
constexpr std::uint64_t max_ctas = 1U << 18;
// CTAs that are executed one by one, as they are no others' copies, at most.
constexpr std::uint64_t max_executed_ctas = 4096;
constexpr std::uint64_t probed_ctas = 16;
constexpr double percent = 100;

// What the shared memory of the resident CTAs leaves.
std::uint64_t l1_bytes_of(const LaunchAccesses& launch, const configs::Gpu& gpu) {
  return configs::l1_bytes(gpu, launch.ctas_per_sm,
                           launch.list.static_shared_bytes + launch.launch.dynamic_shared_bytes);
}

// CTAs that run at a time.
std::uint64_t wave_of(std::uint32_t ctas_per_sm, const configs::Gpu& gpu) {
  return std::uint64_t{ctas_per_sm} * gpu.sms;
}

// What a CTA does on average, from a few of them.
struct MeanCta {
  double lines = 0;
  double accesses = 0;
  bool truncated = false;     // some warp's accesses are more than were traced
  bool each_executed = false; // CTAs are not copies of each other
};

double lines_of(const LaunchAccesses& launch, const tasklist::PlacedTrace& placed,
                const tasklist::TracedAccess& access, TouchedLines& lines, const configs::Gpu& gpu) {
  const tasklist::AccessPattern& pattern = launch.source.patterns()[access.pattern];
  if (pattern.reach > 0)
    return std::popcount(pattern.mask);
  const auto phase = static_cast<std::uint32_t>(placed.address(access) % gpu.l1.line_bytes);
  return static_cast<double>(lines.of(access.pattern, phase).size());
}

MeanCta mean_cta(const LaunchAccesses& launch, const configs::Gpu& gpu) {
  const std::uint64_t ctas = launch.launch.grid.count();
  const std::uint64_t probes = std::min(ctas, probed_ctas);
  TouchedLines lines(launch.source.patterns(), gpu.l1);
  MeanCta mean;
  for (std::uint64_t p = 0; p < probes; ++p) {
    const tasklist::PlacedTrace placed = launch.source.cta(p * (ctas / probes) + ctas / probes / 2);
    mean.accesses += static_cast<double>(placed.trace->accesses.size());
    mean.truncated = mean.truncated || placed.trace->truncated;
    for (const tasklist::TracedAccess& access : placed.trace->accesses)
      mean.lines += lines_of(launch, placed, access, lines, gpu);
  }
  const std::uint64_t before = launch.source.executed();
  launch.source.cta(ctas / 2);
  launch.source.cta(ctas / 3);
  mean.each_executed = launch.source.executed() - before == 2;
  mean.lines /= static_cast<double>(probes);
  mean.accesses /= static_cast<double>(probes);
  return mean;
}

// CTAs that run of a launch at its start and as many at its end; 0: all run.
std::uint64_t part_of(const LaunchAccesses& launch, const MeanCta& cta, const configs::Gpu& gpu,
                      const Effort& effort) {
  const std::uint64_t ctas = launch.launch.grid.count();
  const std::uint64_t wave = wave_of(launch.ctas_per_sm, gpu);
  const double affordable = static_cast<double>(effort.lines_per_launch) / std::max(1.0, cta.lines);
  std::uint64_t most = cta.each_executed ? max_executed_ctas : max_ctas;
  most = std::min(most, static_cast<std::uint64_t>(std::min(affordable, 1e15)));
  most = std::max(most, 2 * wave);
  return most >= ctas ? 0 : most / 2;
}

// What runs before counting begins, of the end of a launch or of warps that are not followed to theirs.
struct Warmup {
  double ctas = 0;
  std::uint64_t accesses = 0;
};

// Half of it; of CTAs that are followed to their ends in whole waves, as all that are resident do the same in
// step: what they do first and last has to count alike.
Warmup warmup_of(const LaunchAccesses& launch, const MeanCta& cta, const configs::Gpu& gpu,
                 std::uint64_t part) {
  const std::uint64_t wave = wave_of(launch.ctas_per_sm, gpu);
  const double ctas =
      cta.truncated ? static_cast<double>(part) / 2 : static_cast<double>(part / wave / 2 * wave);
  return {ctas, static_cast<std::uint64_t>(cta.accesses * ctas)};
}

template <class Changed> TaskRates task_rates(const HitCounts& counts, const Changed& changed) {
  const double displaced = displaced_per_line(counts);
  TaskRates rates{rates_of(changed(counts.total()), displaced), {}};
  for (const SectorCounts& task : counts.by_task) {
    const bool seen = task.l1_requested + task.l2_loaded + task.stored + task.constant_requested > 0;
    rates.by_task.push_back(seen ? rates_of(changed(task), displaced) : rates.rates);
  }
  return rates;
}

std::optional<std::string> sampling_note(const HitCounts& counts, std::uint32_t shift) {
  if (shift == 0)
    return std::nullopt;
  const SamplingError error = sampling_error(counts);
  return fmt::format(
      "hit rates: one line in {} followed, standard error {:.2f} % of L1's and {:.2f} % of L2's "
      "requests",
      1U << shift, percent * error.l1, percent * error.l2);
}

// To the counts of a launch's start those of its end, which stand for so many such parts.
void add_rest(HitCounts& end, double parts, std::uint64_t l2_lines, HitCounts& counts) {
  // What a short part leaves dirty in L2, the whole launch displaces if it brings more lines than L2 has.
  if (end.total().lines_added * parts > static_cast<double>(l2_lines))
    for (HitCounts* part : {&end, &counts})
      part->written_back = std::max(part->made_dirty, part->total().cleaned);
  counts.add(end, parts);
}

} // namespace

struct DeviceCaches::State {
  const configs::Gpu& gpu;
  Effort effort;
  std::uint64_t l1_bytes = 0; // of the caches in l1
  CachesInUse caches;

  void start_launch(const LaunchAccesses& launch);
  std::vector<HitCounts> count(const LaunchAccesses& launch, std::vector<std::string>& notes);
  LaunchHits hits_of(const HitCounts& counts, std::vector<std::string> notes) const;
};

DeviceCaches::DeviceCaches(const configs::Gpu& gpu, const Effort& effort)
    : DeviceCaches(gpu, effort, {&gpu.l2, 1}) {}

DeviceCaches::DeviceCaches(const configs::Gpu& gpu, const Effort& effort, std::span<const configs::Cache> l2s)
    : state_(std::make_unique<State>(State{gpu, effort, 0, {{}, L2sInUse(l2s, effort)}})) {
  if (gpu.constant_bytes > 0)
    state_->caches.constants.assign(gpu.sms, {gpu.constant_bytes / gpu.l1.line_bytes, 0});
  if (gpu.tlb.reach_bytes > 0 && gpu.tlb.miss_latency > 0)
    state_->caches.tlb.emplace(std::max<std::uint64_t>(1, gpu.tlb.reach_bytes / page_bytes), 0);
}
DeviceCaches::~DeviceCaches() = default;
DeviceCaches::DeviceCaches(DeviceCaches&&) noexcept = default;
DeviceCaches& DeviceCaches::operator=(DeviceCaches&&) noexcept = default;

// L1s as large as the launch leaves them, empty.
void DeviceCaches::State::start_launch(const LaunchAccesses& launch) {
  const std::uint64_t bytes = l1_bytes_of(launch, gpu);
  if (std::exchange(l1_bytes, bytes) != bytes) {
    const SectoredCache empty = cache_of(gpu.l1, bytes, effort.sampling_shift);
    caches.l1.assign(gpu.sms, empty);
    if (effort.bounds)
      caches.l1_sizes.assign(gpu.sms, other_sizes(gpu.l1, bytes, effort));
  }
  for (std::vector<SectoredCache>* of_sms : {&caches.l1, &caches.constants})
    for (SectoredCache& cache : *of_sms)
      cache.clear();
  for (OtherSizes& sizes : caches.l1_sizes)
    sizes.clear();
}

// All CTAs; or the start as it is, with what earlier launches left, and the rest as what follows the end's
// warm-up. By L2.
std::vector<HitCounts> DeviceCaches::State::count(const LaunchAccesses& launch,
                                                  std::vector<std::string>& notes) {
  const std::uint64_t ctas = launch.launch.grid.count();
  const MeanCta cta = mean_cta(launch, gpu);
  const std::uint64_t part = part_of(launch, cta, gpu, effort);
  LaunchRun run(launch, gpu, effort, caches);
  const std::uint64_t first = part == 0 ? ctas : part;
  std::vector<HitCounts> counts =
      run.run(0, first, cta.truncated ? warmup_of(launch, cta, gpu, first).accesses : 0);
  if (cta.truncated)
    notes.emplace_back(
        "hit rates: warps are longer than what was followed of them; the later half of that stands "
        "for the rest");
  if (part == 0)
    return counts;
  const Warmup warmup = warmup_of(launch, cta, gpu, part);
  std::vector<HitCounts> ends = run.run(ctas - part, part, warmup.accesses);
  const double parts = static_cast<double>(ctas - part) / (static_cast<double>(part) - warmup.ctas);
  for (std::size_t i = 0; i < counts.size(); ++i)
    add_rest(ends[i], parts, caches.l2s.lines[i], counts[i]);
  notes.push_back(fmt::format("hit rates: the first {0} and the last {0} of {1} CTAs followed", part, ctas));
  return counts;
}

LaunchHits DeviceCaches::State::hits_of(const HitCounts& counts, std::vector<std::string> notes) const {
  LaunchHits hits;
  hits.notes = std::move(notes);
  static_cast<TaskRates&>(hits) = task_rates(counts, [](const SectorCounts& of) { return of; });
  if (effort.bounds)
    hits.bounds = {task_rates(counts, with_fewer_hits), task_rates(counts, with_more_hits)};
  if (const auto note = sampling_note(counts, effort.sampling_shift))
    hits.notes.push_back(*note);
  const SectorCounts total = counts.total();
  if (total.tlb_missed > 0)
    hits.notes.push_back(fmt::format("TLB: pages are taken to have 2 MiB; {:.3g} % of the accesses miss it",
                                     percent * total.tlb_missed / total.translated));
  if (counts.unknown > 0)
    hits.notes.push_back(
        fmt::format("hit rates: {:.1f} % of the sectors have unknown addresses and are taken to miss",
                    percent * counts.unknown / std::max(counts.unknown, total.l1_requested + total.stored)));
  return hits;
}

LaunchHits DeviceCaches::run(const LaunchAccesses& launch) {
  assert(state_->caches.l2s.lines.size() == 1 && "of several L2s each has hits of its own");
  return std::move(run_with_each_l2(launch).front());
}

std::vector<LaunchHits> DeviceCaches::run_with_each_l2(const LaunchAccesses& launch) {
  state_->start_launch(launch);
  std::vector<std::string> notes;
  std::vector<LaunchHits> hits;
  for (const HitCounts& counts : state_->count(launch, notes))
    hits.push_back(state_->hits_of(counts, notes));
  return hits;
}

double estimated_lines(const LaunchAccesses& launch, const configs::Gpu& gpu) {
  return mean_cta(launch, gpu).lines * static_cast<double>(launch.launch.grid.count());
}

std::uint64_t accesses_per_warp(const tasklist::Launch& launch, std::uint32_t ctas_per_sm,
                                const configs::Gpu& gpu, const Effort& effort) {
  constexpr std::uint64_t least = 256;
  constexpr std::uint64_t most_per_cta = 1U << 22; // that memory stays bounded
  const std::uint64_t ctas = std::min(launch.grid.count(), wave_of(ctas_per_sm, gpu));
  const std::uint64_t warps = launch.warps_per_cta();
  return std::max(least, std::min(effort.lines_per_launch / (ctas * warps), most_per_cta / warps));
}

} // namespace kerncast::hit_rates
