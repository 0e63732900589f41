#include "l2_stack.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace kerncast::hit_rates {

using caches::SectorMask;
using Level = caches::LruStack::Level;

namespace {

// Calls act(level) for each of these sectors.
template <class Act> void for_each_level(caches::LruStack::Levels& levels, SectorMask sectors, Act&& act) {
  for (; sectors != 0; sectors &= sectors - 1)
    act(levels[static_cast<std::size_t>(std::countr_zero(sectors))]);
}

// What was in a cache when it was asked for: that of its level and of lower ones.
double count_in(Level cache, const std::vector<std::uint64_t>& by_level) {
  return static_cast<double>(
      std::accumulate(by_level.begin(), by_level.begin() + cache + 1, std::uint64_t{0}));
}
double count_outside(Level cache, const std::vector<std::uint64_t>& by_level) {
  return static_cast<double>(std::accumulate(by_level.begin() + cache + 1, by_level.end(), std::uint64_t{0}));
}

void clear(std::vector<std::uint64_t>& by_level) { std::fill(by_level.begin(), by_level.end(), 0); }

} // namespace

L2StackRun::L2StackRun(L2StackInUse& l2s, const configs::Cache& l1, std::size_t tasks)
    : l2s_(l2s), lines_(l1, l2s.described), parts_per_sector_(parts_per_sector(l2s.described)),
      dirty_(l2s.stack.sizes() + 1), there_by_task_(tasks, dirty_), hits_by_task_(tasks, dirty_),
      hits_by_group_(sample_groups, dirty_) {}

void L2StackRun::run(std::span<const L2Access> accesses) {
  for_each_line(
      accesses, lines_,
      [&](const L2Access& access, std::uint64_t number, SectorMask sectors) {
        load(access, use(access, number), sectors);
      },
      [&](const L2Access& access, std::uint64_t number, SectorMask sectors, caches::PartMask parts) {
        store(use(access, number), sectors, parts);
      });
}

L2StackRun::Line& L2StackRun::use(const L2Access& access, std::uint64_t number) {
  Line& line = l2s_.stack.use(number);
  const auto least = [](const caches::LruStack::Levels& levels) {
    return *std::min_element(levels.begin(), levels.end());
  };
  ++there_by_task_[access.task][std::min(least(line.valid), least(line.dirty))];
  return line;
}

void L2StackRun::load(const L2Access& access, Line& line, SectorMask sectors) {
  ByLevel& by_task = hits_by_task_[access.task];
  ByLevel& by_group = hits_by_group_[access.group];
  for_each_level(line.valid, sectors, [&](Level& valid) {
    ++by_task[valid];
    ++by_group[valid];
    valid = 0;
  });
}

void L2StackRun::store(Line& line, SectorMask sectors, caches::PartMask parts) {
  l2s_.stack.write(line, sectors, parts, parts_per_sector_);
  for_each_level(line.dirty, sectors, [&](Level& dirty) {
    ++dirty_[dirty];
    dirty = 0;
  });
}

void L2StackRun::take_counts(std::span<HitCounts> by_l2) {
  const std::vector<std::uint64_t> written_back = l2s_.stack.take_written_back();
  const double part = lines_.part_per_sector();
  for (const L2StackInUse::Member& member : l2s_.members) {
    HitCounts& counts = by_l2[member.l2];
    for (std::size_t t = 0; t < hits_by_task_.size(); ++t) {
      counts.by_task[t].lines_added += count_outside(member.level, there_by_task_[t]);
      counts.by_task[t].l2_hit += part * count_in(member.level, hits_by_task_[t]);
    }
    for (std::size_t g = 0; g < sample_groups; ++g)
      counts.by_group[g].l2_hit += part * count_in(member.level, hits_by_group_[g]);
    counts.made_dirty += part * count_outside(member.level, dirty_);
    counts.written_back += part * static_cast<double>(written_back[member.level]);
  }
  for (std::vector<ByLevel>* all : {&there_by_task_, &hits_by_task_, &hits_by_group_})
    for (ByLevel& by_level : *all)
      clear(by_level);
  clear(dirty_);
}

} // namespace kerncast::hit_rates
