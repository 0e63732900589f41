// Part i of the list are the lines that cache i holds and no smaller one. A line that is used again goes to
// the front, and the last line of each part before its own moves over into the next part: it leaves one
// cache.
#include "caches/lru_stack.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace kerncast::caches {

LruStack::LruStack(std::vector<std::uint64_t> lines)
    : lines_(std::move(lines)), written_back_(lines_.size()), last_(lines_.size(), none) {
  assert(lines_.size() <= most_sizes && "levels are numbered in a byte");
  assert(lines_.front() > 0 && "every cache holds the line used last");
}

std::vector<std::uint64_t> LruStack::take_written_back() {
  return std::exchange(written_back_, std::vector<std::uint64_t>(sizes()));
}

LruStack::Line& LruStack::use(std::uint64_t number) {
  const std::uint64_t hash = hash_line(number);
  std::uint32_t slot = table_.find(hash, [&](std::uint32_t at) { return slots_[at].number == number; });
  if (slot == none)
    slot = add(number, hash);
  else if (slot != newest_)
    use_again(slot);
  return slots_[slot];
}

// Since its last use the line has only gone down the list: what it had is left in the caches from its part
// on.
void LruStack::use_again(std::uint32_t slot) {
  Line& line = slots_[slot];
  const Level place = std::exchange(line.place, Level{0});
  for (Levels* levels : {&line.valid, &line.dirty})
    for (Level& level : *levels)
      level = std::max(level, place);
  if (line.written != none)
    for (Level& level : written_[line.written])
      level = std::max(level, place);
  if (last_[place] == slot)
    last_[place] = line.newer;
  unlink(slot);
  link_newest(slot);
  leave_all_below(place);
}

std::uint32_t LruStack::add(std::uint64_t number, std::uint64_t hash) {
  const std::uint32_t slot = slot_for_new();
  Line& line = slots_[slot];
  line.number = number;
  line.valid.fill(static_cast<Level>(sizes()));
  line.dirty = line.valid;
  line.place = 0;
  table_.put(hash, slot);
  link_newest(slot);
  leave_all_below(full_);
  if (full_ < lines_.size() && slots_.size() == lines_[full_])
    last_[full_++] = oldest_;
  return slot;
}

// That of the oldest line, if the largest cache is full.
std::uint32_t LruStack::slot_for_new() {
  if (full_ < lines_.size()) {
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t slot = oldest_;
  table_.erase(hash_line(slots_[slot].number), slot);
  if (const std::uint32_t written = std::exchange(slots_[slot].written, none); written != none)
    free_written_.push_back(written);
  --full_;
  leave(full_);
  unlink(slot);
  return slot;
}

LruStack::WrittenParts& LruStack::written_of(Line& line) {
  if (line.written != none)
    return written_[line.written];
  if (free_written_.empty()) {
    free_written_.push_back(static_cast<std::uint32_t>(written_.size()));
    written_.emplace_back();
  }
  line.written = free_written_.back();
  free_written_.pop_back();
  written_[line.written].fill(static_cast<Level>(sizes()));
  return written_[line.written];
}

void LruStack::write(Line& line, SectorMask sectors, PartMask parts, std::uint32_t parts_per_sector) {
  SectorMask in_parts = 0; // sectors of which some cache lacks something
  const SectorMask whole = whole_sectors(parts, parts_per_sector);
  for (std::uint32_t s = 0; s < most_sectors; ++s) {
    const SectorMask bit = SectorMask{1} << s;
    if ((sectors & bit & whole) != 0)
      line.valid[s] = 0;
    else if ((sectors & bit) != 0 && line.valid[s] != 0)
      in_parts |= bit;
  }
  if (in_parts == 0)
    return;
  WrittenParts& written = written_of(line);
  for (std::uint32_t p = 0; p < parts_per_line; ++p)
    if ((parts >> p & 1U) != 0)
      written[p] = 0;
  for (; in_parts != 0; in_parts &= in_parts - 1) {
    const auto sector = static_cast<std::uint32_t>(std::countr_zero(in_parts));
    const auto first = written.begin() + sector * parts_per_sector;
    line.valid[sector] = std::min(line.valid[sector], *std::max_element(first, first + parts_per_sector));
  }
}

// The last line of the full cache goes from it: its sectors that are dirty there are written back.
void LruStack::leave(std::size_t size) {
  Line& line = slots_[last_[size]];
  line.place = static_cast<Level>(size + 1);
  last_[size] = line.newer;
  for (const Level dirty : line.dirty)
    written_back_[size] += dirty <= size ? 1 : 0;
}

void LruStack::leave_all_below(std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    leave(i);
}

void LruStack::unlink(std::uint32_t slot) {
  const Line& line = slots_[slot];
  (line.newer == none ? newest_ : slots_[line.newer].older) = line.older;
  (line.older == none ? oldest_ : slots_[line.older].newer) = line.newer;
}

void LruStack::link_newest(std::uint32_t slot) {
  slots_[slot].newer = none;
  slots_[slot].older = newest_;
  (newest_ == none ? oldest_ : slots_[newest_].newer) = slot;
  newest_ = slot;
}

} // namespace kerncast::caches
