#include "caches/line_table.h"

#include <algorithm>
#include <utility>

namespace kerncast::caches {

void LineTable::clear() {
  std::fill(places_.begin(), places_.end(), Place{});
  slots_ = 0;
}

void LineTable::put(std::uint64_t hash, std::uint32_t slot) {
  if (2 * ++slots_ > places_.size())
    grow();
  put({static_cast<std::uint32_t>(hash), slot});
}

void LineTable::put(const Place& place) {
  std::size_t at = home(place.hash);
  while (places_[at].slot != none)
    at = next(at);
  places_[at] = place;
}

void LineTable::grow() {
  const std::vector<Place> before = std::exchange(places_, std::vector<Place>(2 * places_.size()));
  for (const Place& place : before)
    if (place.slot != none)
      put(place);
}

// Closes the gap that the slot leaves, so that searches need no marks of what was there.
void LineTable::erase(std::uint64_t hash, std::uint32_t slot) {
  const std::size_t last = places_.size() - 1;
  std::size_t gap = home(hash);
  while (places_[gap].slot != slot)
    gap = next(gap);
  for (std::size_t at = next(gap); places_[at].slot != none; at = next(at)) {
    const std::size_t wanted = home(places_[at].hash);
    if (((at - wanted) & last) >= ((at - gap) & last)) {
      places_[gap] = places_[at];
      gap = at;
    }
  }
  places_[gap] = {};
  --slots_;
}

} // namespace kerncast::caches
