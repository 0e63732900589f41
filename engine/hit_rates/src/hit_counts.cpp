// Sums, ratios, and the standard error of a ratio over groups.
#include "hit_counts.h"

#include <algorithm>
#include <cmath>

namespace kerncast::hit_rates {
namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Of sum(hits) / sum(requests) over groups of lines (Cochran, Sampling Techniques, sec. 6.4).
double ratio_error(const std::array<SectorCounts, sample_groups>& groups, double SectorCounts::*hits,
                   double SectorCounts::*requests) {
  double all_hits = 0, all_requests = 0;
  for (const SectorCounts& group : groups) {
    all_hits += group.*hits;
    all_requests += group.*requests;
  }
  if (all_requests <= 0)
    return 0;
  double squares = 0;
  for (const SectorCounts& group : groups) {
    const double residual = group.*hits - all_hits / all_requests * group.*requests;
    squares += residual * residual;
  }
  const double n = sample_groups;
  return std::sqrt(squares * n / (n - 1)) / all_requests;
}

} // namespace

void SectorCounts::add(const SectorCounts& other, double weight) {
  l1_requested += weight * other.l1_requested;
  l1_hit += weight * other.l1_hit;
  l2_loaded += weight * other.l2_loaded;
  l2_hit += weight * other.l2_hit;
  stored += weight * other.stored;
  constant_requested += weight * other.constant_requested;
  constant_missed += weight * other.constant_missed;
  atomic_lanes += weight * other.atomic_lanes;
  hottest_lanes += weight * other.hottest_lanes;
  past_l1 += weight * other.past_l1;
  hottest_past_l1 += weight * other.hottest_past_l1;
  translated += weight * other.translated;
  tlb_missed += weight * other.tlb_missed;
  l1_lost += weight * other.l1_lost;
  l1_gained += weight * other.l1_gained;
  l2_lost += weight * other.l2_lost;
  l2_gained += weight * other.l2_gained;
  lines_added += weight * other.lines_added;
  cleaned += weight * other.cleaned;
}

void HitCounts::add(const HitCounts& other, double weight) {
  for (std::size_t t = 0; t < by_task.size(); ++t)
    by_task[t].add(other.by_task[t], weight);
  for (std::size_t g = 0; g < sample_groups; ++g)
    by_group[g].add(other.by_group[g], weight);
  written_back += weight * other.written_back;
  made_dirty += weight * other.made_dirty;
  unknown += weight * other.unknown;
}

SectorCounts HitCounts::total() const {
  SectorCounts sum;
  for (const SectorCounts& task : by_task)
    sum.add(task, 1);
  return sum;
}

double displaced_per_line(const HitCounts& counts) {
  const SectorCounts total = counts.total();
  return ratio(std::max(0.0, counts.written_back - total.cleaned), total.lines_added);
}

memory_model::HitRates rates_of(const SectorCounts& counts, double displaced_per_line) {
  const double written = displaced_per_line * counts.lines_added + counts.cleaned;
  const double of_stores = std::min(counts.stored, written);
  return {
      .l1 = ratio(counts.l1_hit, counts.l1_requested),
      .l2 = ratio(counts.l2_hit + counts.stored - of_stores, counts.l2_loaded + counts.stored),
      .tlb_miss = ratio(counts.tlb_missed, counts.translated),
      .constant_miss = ratio(counts.constant_missed, counts.constant_requested),
      .hottest = counts.atomic_lanes > 0 ? ratio(counts.hottest_lanes, counts.atomic_lanes)
                                         : ratio(counts.hottest_past_l1, counts.past_l1),
      .displaced = ratio(written - of_stores, counts.l2_loaded + counts.stored),
  };
}

SectorCounts with_fewer_hits(SectorCounts counts) {
  const double l1_lost = std::min(counts.l1_hit, counts.l1_lost);
  counts.l1_hit -= l1_lost;
  counts.l2_loaded += l1_lost;
  counts.l2_hit += l1_lost - std::min(counts.l2_hit, counts.l2_lost);
  return counts;
}

SectorCounts with_more_hits(SectorCounts counts) {
  const double l1_gained = std::min(counts.l1_requested - counts.l1_hit, counts.l1_gained);
  counts.l1_hit += l1_gained;
  counts.l2_loaded = std::max(0.0, counts.l2_loaded - l1_gained);
  counts.l2_hit = std::min(counts.l2_loaded, std::max(0.0, counts.l2_hit - l1_gained) + counts.l2_gained);
  return counts;
}

SamplingError sampling_error(const HitCounts& counts) {
  return {ratio_error(counts.by_group, &SectorCounts::l1_hit, &SectorCounts::l1_requested),
          ratio_error(counts.by_group, &SectorCounts::l2_hit, &SectorCounts::l2_loaded)};
}

} // namespace kerncast::hit_rates
