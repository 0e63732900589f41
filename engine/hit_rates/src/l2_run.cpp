#include "l2_run.h"

#include <utility>

namespace kerncast::hit_rates {

using caches::CacheLine;
using caches::PartMask;
using caches::SectorMask;

L2Run::L2Run(L2InUse& l2, const configs::Cache& l1, std::size_t tasks)
    : l2_(l2), lines_(l1, l2.described), parts_per_sector_(parts_per_sector(l2.described)), tasks_(tasks),
      counts_(tasks) {}

void L2Run::take_counts(std::span<HitCounts> by_l2) {
  by_l2[l2_.number].add(std::exchange(counts_, HitCounts(tasks_)), 1);
}

void L2Run::run(std::span<const L2Access> accesses) {
  for_each_line(
      accesses, lines_,
      [&](const L2Access& access, std::uint64_t line, SectorMask sectors) { load(access, line, sectors); },
      [&](const L2Access& access, std::uint64_t line, SectorMask sectors, PartMask parts) {
        store(access, line, sectors, parts);
      });
}

double L2Run::in_l1_sectors(SectorMask of_l2) const { return lines_.part_per_sector() * sectors_in(of_l2); }

CacheLine& L2Run::find_or_add(const L2Access& access, std::uint64_t number) {
  SectorMask evicted = 0;
  CacheLine& line = l2_.cache.find_or_add(number, evicted);
  counts_.written_back += in_l1_sectors(evicted);
  counts_.by_task[access.task].lines_added += (line.valid | line.dirty | line.written) == 0 ? 1 : 0;
  return line;
}

void L2Run::load(const L2Access& access, std::uint64_t number, SectorMask sectors) {
  CacheLine& line = find_or_add(access, number);
  const SectorMask hit = line.load(sectors);
  const auto difference = l2_.sizes ? l2_.sizes->load(number, sectors, hit) : OtherSizes::Difference{};
  for (SectorCounts* counts : {&counts_.by_task[access.task], &counts_.by_group[access.group]}) {
    counts->l2_hit += in_l1_sectors(hit);
    counts->l2_lost += lines_.part_per_sector() * difference.lost;
    counts->l2_gained += lines_.part_per_sector() * difference.gained;
  }
}

void L2Run::store(const L2Access& access, std::uint64_t number, SectorMask sectors, PartMask parts) {
  CacheLine& line = find_or_add(access, number);
  if (l2_.sizes)
    l2_.sizes->write(number, sectors, parts, parts_per_sector_);
  counts_.made_dirty += in_l1_sectors(sectors & ~line.dirty);
  const double cleaned = in_l1_sectors(l2_.cache.write(line, sectors, parts, parts_per_sector_));
  counts_.written_back += cleaned;
  counts_.by_task[access.task].cleaned += cleaned;
}

} // namespace kerncast::hit_rates
