// A hash table finds lines; a list per set keeps them in order of use.
#include "caches/sectored_cache.h"

#include <algorithm>

namespace kerncast::caches {

SectoredCache::SectoredCache(std::uint64_t lines, std::uint32_t ways) {
  const bool in_sets = ways != 0 && lines >= ways && lines / ways <= most_sets;
  ways_ = in_sets ? ways : lines;
  sets_.resize(in_sets ? lines / ways : 1);
  table_.assign(4, none);
}

void SectoredCache::clear() {
  std::fill(sets_.begin(), sets_.end(), Set{});
  std::fill(table_.begin(), table_.end(), none);
  slots_.clear();
}

// Where the line is in the table, or where it would be put.
std::size_t SectoredCache::place_of(std::uint64_t number) const {
  std::size_t at = home(number);
  while (table_[at] != none && slots_[table_[at]].line.number != number)
    at = (at + 1) & (table_.size() - 1);
  return at;
}

// The table's upper hash bits choose the set, so that lines of one set spread over the table.
SectoredCache::Set& SectoredCache::set_of(std::uint64_t number) {
  return sets_.size() == 1 ? sets_.front() : sets_[(hash_line(number) >> 32) % sets_.size()];
}

void SectoredCache::unlink(Set& set, std::uint32_t slot) {
  const auto [line, newer, older] = slots_[slot];
  (newer == none ? set.newest : slots_[newer].older) = older;
  (older == none ? set.oldest : slots_[older].newer) = newer;
}

void SectoredCache::link_newest(Set& set, std::uint32_t slot) {
  slots_[slot].newer = none;
  slots_[slot].older = set.newest;
  (set.newest == none ? set.oldest : slots_[set.newest].newer) = slot;
  set.newest = slot;
}

// Closes the gap that the line leaves, so that searches need no marks of what was there.
void SectoredCache::erase(std::uint64_t number) {
  const std::size_t last = table_.size() - 1;
  std::size_t gap = place_of(number);
  for (std::size_t at = (gap + 1) & last; table_[at] != none; at = (at + 1) & last) {
    const std::size_t wanted = home(slots_[table_[at]].line.number);
    if (((at - wanted) & last) >= ((at - gap) & last)) {
      table_[gap] = table_[at];
      gap = at;
    }
  }
  table_[gap] = none;
}

// The newest slot is not in the table yet.
void SectoredCache::grow_table() {
  table_.assign(2 * table_.size(), none);
  for (std::uint32_t slot = 0; slot + 1 < slots_.size(); ++slot)
    table_[place_of(slots_[slot].line.number)] = slot;
}

std::uint32_t SectoredCache::take_slot(Set& set, SectorMask& evicted) {
  if (set.lines < ways_) {
    ++set.lines;
    slots_.emplace_back();
    if (2 * slots_.size() > table_.size())
      grow_table();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t slot = set.oldest;
  evicted = slots_[slot].line.dirty;
  erase(slots_[slot].line.number);
  unlink(set, slot);
  return slot;
}

CacheLine* SectoredCache::find(std::uint64_t number) {
  const std::uint32_t slot = table_[place_of(number)];
  if (slot == none)
    return nullptr;
  Set& set = set_of(number);
  if (set.newest != slot) {
    unlink(set, slot);
    link_newest(set, slot);
  }
  return &slots_[slot].line;
}

CacheLine& SectoredCache::find_or_add(std::uint64_t number, SectorMask& evicted) {
  evicted = 0;
  if (CacheLine* line = find(number))
    return *line;
  if (ways_ == 0)
    return nothing_ = {number, 0, 0};
  Set& set = set_of(number);
  const std::uint32_t slot = take_slot(set, evicted);
  slots_[slot].line = {number, 0, 0};
  table_[place_of(number)] = slot;
  link_newest(set, slot);
  return slots_[slot].line;
}

} // namespace kerncast::caches
