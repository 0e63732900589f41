#include "l2_run.h"

#include <bit>
#include <utility>

#include "touched_lines.h"

namespace kerncast::hit_rates {

using caches::CacheLine;
using caches::SectorMask;

namespace {

double sectors_in(SectorMask mask) { return static_cast<double>(std::popcount(mask)); }

} // namespace

L2Run::L2Run(L2InUse& l2, const configs::Cache& l1, std::size_t tasks)
    : l2_(l2), l1_line_bytes_(l1.line_bytes), l1_sector_bytes_(sector_bytes_of(l1)),
      same_lines_(l1.line_bytes == l2.described.line_bytes &&
                  sector_bytes_of(l1) == sector_bytes_of(l2.described)),
      tasks_(tasks), counts_(tasks) {}

HitCounts L2Run::take_counts() { return std::exchange(counts_, HitCounts(tasks_)); }

void L2Run::run(std::span<const L2Access> accesses) {
  for (const L2Access& access : accesses)
    if (same_lines_)
      do_line(access, access.line, access.sectors);
    else
      do_each_sector(access);
}

// The L2 lines and their sectors that hold sectors of an L1 line.
void L2Run::do_each_sector(const L2Access& access) {
  const std::uint64_t l2_line_bytes = l2_.described.line_bytes;
  for (std::uint64_t s = 0; s < l1_line_bytes_ / l1_sector_bytes_; ++s) {
    if ((access.sectors >> s & 1U) == 0)
      continue;
    const std::uint64_t address = access.line * l1_line_bytes_ + s * l1_sector_bytes_;
    do_line(access, address / l2_line_bytes,
            SectorMask{1} << (address % l2_line_bytes / sector_bytes_of(l2_.described)));
  }
}

void L2Run::do_line(const L2Access& access, std::uint64_t number, SectorMask sectors) {
  if (access.kind == L2Access::Kind::load)
    load(access, number, sectors);
  else
    store(number, sectors);
}

CacheLine& L2Run::find_or_add(std::uint64_t number) {
  SectorMask evicted = 0;
  CacheLine& line = l2_.cache.find_or_add(number, evicted);
  counts_.written_back += sectors_in(evicted);
  counts_.lines_added += (line.valid | line.dirty) == 0 ? 1 : 0;
  return line;
}

void L2Run::load(const L2Access& access, std::uint64_t number, SectorMask sectors) {
  CacheLine& line = find_or_add(number);
  const SectorMask hit = std::exchange(line.valid, line.valid | sectors) & sectors;
  const auto difference = l2_.sizes ? l2_.sizes->load(number, sectors, hit) : OtherSizes::Difference{};
  for (SectorCounts* counts : {&counts_.by_task[access.task], &counts_.by_group[access.group]}) {
    counts->l2_hit += sectors_in(hit);
    counts->l2_lost += difference.lost;
    counts->l2_gained += difference.gained;
  }
}

void L2Run::store(std::uint64_t number, SectorMask sectors) {
  CacheLine& line = find_or_add(number);
  if (l2_.sizes)
    l2_.sizes->fill(number, sectors);
  counts_.made_dirty += sectors_in(sectors & ~line.dirty);
  line.valid |= sectors;
  line.dirty |= sectors;
}

} // namespace kerncast::hit_rates
