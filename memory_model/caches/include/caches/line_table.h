// Where a cache keeps its lines: the slot of each by the hash of its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/mix_bits.h"

namespace kerncast::caches {

// Spreads line numbers evenly.
inline std::uint64_t hash_line(std::uint64_t line) { return mix_bits(line); }

// Open addressing; grows with use. Knows slots only: who owns them tells lines of alike hashes apart.
class LineTable {
public:
  static constexpr std::uint32_t none = UINT32_MAX;

  LineTable() : places_(4) {}
  void clear();

  // The slot with this hash for which is_it(slot) holds, or none.
  template <class IsIt> std::uint32_t find(std::uint64_t hash, IsIt&& is_it) const {
    const auto lower = static_cast<std::uint32_t>(hash);
    std::size_t at = home(hash);
    while (places_[at].slot != none && (places_[at].hash != lower || !is_it(places_[at].slot)))
      at = next(at);
    return places_[at].slot;
  }
  // A slot that is not there.
  void put(std::uint64_t hash, std::uint32_t slot);
  // A slot that is there.
  void erase(std::uint64_t hash, std::uint32_t slot);

private:
  // The lower half of a hash tells others apart without a look at their lines, and says where they belong in
  // the table, which never has more than 2^32 places.
  struct Place {
    std::uint32_t hash = 0;
    std::uint32_t slot = none;
  };

  std::size_t home(std::uint64_t hash) const { return hash & (places_.size() - 1); }
  std::size_t next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }
  void put(const Place& place);
  void grow();

  std::vector<Place> places_; // a power of two of them
  std::size_t slots_ = 0;     // that are there
};

} // namespace kerncast::caches
