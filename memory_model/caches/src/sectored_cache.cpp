// A hash table finds lines; a list per set keeps them in order of use.
#include "caches/sectored_cache.h"

#include <algorithm>
#include <cmath>

namespace kerncast::caches {

SectoredCache::SectoredCache(std::uint64_t lines, std::uint32_t ways, configs::Replacement replacement,
                             double dirty_fraction)
    : replacement_(replacement) {
  const bool in_sets = ways != 0 && lines >= ways && lines / ways <= most_sets;
  ways_ = in_sets ? ways : lines;
  sets_.resize(in_sets ? lines / ways : 1);
  dirty_ways_ = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(dirty_fraction * static_cast<double>(ways_))));
  in_order_ = replacement == configs::Replacement::lru || sets_.size() > 1 || dirty_ways_ < ways_;
}

void SectoredCache::clear() {
  std::fill(sets_.begin(), sets_.end(), Set{});
  table_.clear();
  slots_.clear();
  drawn_ = 0;
}

// Hash bits that the table does not use choose the set, so that lines of one set spread over the table.
SectoredCache::Set& SectoredCache::set_of(std::uint64_t hash) {
  return sets_.size() == 1 ? sets_.front() : sets_[(hash >> 32) % sets_.size()];
}

void SectoredCache::unlink(Set& set, std::uint32_t slot) {
  const auto [line, newer, older] = slots_[slot];
  (newer == none ? set.newest : slots_[newer].older) = older;
  (older == none ? set.oldest : slots_[older].newer) = newer;
  if (set.maybe_dirty == slot)
    set.maybe_dirty = newer;
}

void SectoredCache::link_newest(Set& set, std::uint32_t slot) {
  slots_[slot].newer = none;
  slots_[slot].older = set.newest;
  (set.newest == none ? set.oldest : slots_[set.newest].newer) = slot;
  set.newest = slot;
  if (set.maybe_dirty == none)
    set.maybe_dirty = slot;
}

// A cache of one set has no slots but those of the set.
std::uint32_t SectoredCache::slot_to_leave(const Set& set, std::uint64_t hash) {
  if (replacement_ == configs::Replacement::lru)
    return set.oldest;
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15ULL; // SplitMix64's
  std::uint64_t drawn = hash_line(hash + step * ++drawn_) % ways_;
  if (sets_.size() == 1)
    return static_cast<std::uint32_t>(drawn);
  std::uint32_t slot = set.newest;
  for (; drawn > 0; --drawn)
    slot = slots_[slot].older;
  return slot;
}

std::uint32_t SectoredCache::take_slot(Set& set, std::uint64_t hash, SectorMask& evicted) {
  if (set.lines < ways_) {
    ++set.lines;
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t slot = slot_to_leave(set, hash);
  evicted = slots_[slot].line.dirty;
  if (evicted != 0 && dirty_ways_ < ways_)
    --set.dirty_lines;
  table_.erase(hash_line(slots_[slot].line.number), slot);
  if (in_order_)
    unlink(set, slot);
  return slot;
}

CacheLine* SectoredCache::find(std::uint64_t number) { return find(number, hash_line(number)); }

CacheLine* SectoredCache::find(std::uint64_t number, std::uint64_t hash) {
  const std::uint32_t slot =
      table_.find(hash, [&](std::uint32_t at) { return slots_[at].line.number == number; });
  if (slot == none)
    return nullptr;
  Set& set = set_of(hash);
  if (in_order_ && set.newest != slot) {
    unlink(set, slot);
    link_newest(set, slot);
  }
  return &slots_[slot].line;
}

CacheLine& SectoredCache::find_or_add(std::uint64_t number, SectorMask& evicted) {
  evicted = 0;
  const std::uint64_t hash = hash_line(number);
  if (CacheLine* line = find(number, hash))
    return *line;
  if (ways_ == 0)
    return nothing_ = {.number = number};
  Set& set = set_of(hash);
  const std::uint32_t slot = take_slot(set, hash, evicted);
  slots_[slot].line = {.number = number};
  table_.put(hash, slot);
  if (in_order_)
    link_newest(set, slot);
  return slots_[slot].line;
}

SectorMask SectoredCache::write(CacheLine& line, SectorMask sectors, PartMask parts,
                                std::uint32_t parts_per_sector) {
  const bool was_clean = line.dirty == 0;
  line.write(sectors, parts, parts_per_sector);
  if (dirty_ways_ >= ways_ || !was_clean)
    return 0;
  Set& set = set_of(hash_line(line.number));
  return ++set.dirty_lines > dirty_ways_ ? clean_oldest(set) : 0;
}

SectorMask SectoredCache::clean_oldest(Set& set) {
  while (slots_[set.maybe_dirty].line.dirty == 0)
    set.maybe_dirty = slots_[set.maybe_dirty].newer;
  --set.dirty_lines;
  return std::exchange(slots_[set.maybe_dirty].line.dirty, 0);
}

} // namespace kerncast::caches
