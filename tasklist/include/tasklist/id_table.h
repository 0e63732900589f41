// Gives equal things equal numbers, in the order of their first appearance.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace kerncast::tasklist {

// Open addressing over ids; the things themselves lie with the owner, who compares them.
class IdTable {
public:
  IdTable() = default;
  // With room for so many.
  explicit IdTable(std::size_t things) : entries_(std::bit_ceil(2 * things)) {}

  // The id of the equal thing, found by equal(id); else `fresh`, which is then in the table.
  template <class Equal> std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t fresh, Equal&& equal) {
    if (2 * (used_ + 1) > entries_.size())
      grow();
    std::size_t at = hash & (entries_.size() - 1);
    for (; entries_[at].id != empty; at = (at + 1) & (entries_.size() - 1))
      if (entries_[at].hash == hash && equal(entries_[at].id))
        return entries_[at].id;
    entries_[at] = {hash, fresh};
    ++used_;
    return fresh;
  }

private:
  static constexpr std::uint32_t empty = UINT32_MAX;
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t id = empty;
  };
  void grow() {
    std::vector<Entry> old(entries_.empty() ? 64 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& e : old)
      if (e.id != empty) {
        std::size_t at = e.hash & (entries_.size() - 1);
        while (entries_[at].id != empty)
          at = (at + 1) & (entries_.size() - 1);
        entries_[at] = e;
      }
  }

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
};

} // namespace kerncast::tasklist
