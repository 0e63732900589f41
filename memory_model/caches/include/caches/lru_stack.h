// Fully associative caches that differ in size only, all at once.
//
// Of least recently used lines that go, a cache holds at any time the lines that a smaller one holds, and
// more: one list of lines in order of use, cut at each size, stands for all of them (Mattson, Gecsei, Slutz,
// Traiger: Evaluation techniques for storage hierarchies, 1970). Each says the same as a SectoredCache of its
// size.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "caches/line_table.h"
#include "caches/sectored_cache.h"

namespace kerncast::caches {

class LruStack {
public:
  static constexpr std::uint32_t most_sectors = 4; // of a line
  static constexpr std::size_t most_sizes = 254;
  // A cache, by its size, smallest first. Of what some caches hold: the smallest that does; all larger ones
  // do, too. sizes(): none does.
  using Level = std::uint8_t;
  using Levels = std::array<Level, most_sectors>;

  struct Line {
    std::uint64_t number = 0; // address / line size
    std::uint32_t newer = LineTable::none, older = LineTable::none;
    std::uint32_t written = LineTable::none; // what was written of it in parts
    Levels valid{};                          // by sector
    Levels dirty{};                          // likewise: written and not yet written back
    Level place = 0;                         // the part of the list: the smallest cache that holds the line
  };

  // `lines`: of each cache, in ascending order, each once, none without lines.
  explicit LruStack(std::vector<std::uint64_t> lines);

  std::size_t sizes() const { return lines_.size(); }

  // The line, from now on the most recently used one and so in all caches.
  Line& use(std::uint64_t number);
  // As CacheLine::write of a line in use, but for what is dirty.
  void write(Line& line, SectorMask sectors, PartMask parts, std::uint32_t parts_per_sector);
  // By cache: dirty sectors of lines that had to go since it was asked last.
  std::vector<std::uint64_t> take_written_back();

private:
  static constexpr std::uint32_t none = LineTable::none;
  using WrittenParts = std::array<Level, parts_per_line>; // of a line

  void use_again(std::uint32_t slot);
  std::uint32_t add(std::uint64_t number, std::uint64_t hash);
  std::uint32_t slot_for_new();
  void leave(std::size_t size);
  void leave_all_below(std::size_t size);
  void unlink(std::uint32_t slot);
  void link_newest(std::uint32_t slot);
  WrittenParts& written_of(Line& line);

  std::vector<std::uint64_t> lines_;        // by size
  std::vector<std::uint64_t> written_back_; // likewise
  std::vector<std::uint32_t> last_;         // likewise: the least recently used line of a full cache
  std::size_t full_ = 0;                    // caches smaller than this one are full
  std::uint32_t newest_ = none, oldest_ = none;
  std::vector<Line> slots_; // grows with use up to the largest cache
  std::vector<WrittenParts> written_;
  std::vector<std::uint32_t> free_written_;
  LineTable table_; // of slots
};

} // namespace kerncast::caches
