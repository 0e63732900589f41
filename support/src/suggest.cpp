#include "support/suggest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace kerncast {
namespace {

// Letters put in, left out, changed or swapped with their neighbour (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1); // row i - 1
  std::vector<std::size_t> last(b.size() + 1);   // row i
  std::vector<std::size_t> row(b.size() + 1);    // row i + 1
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1)});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last.back();
}

template <class Name> std::string nearest_of(std::string_view name, std::span<const Name> candidates) {
  // Names beyond any spelling mistake are not worth the quadratic comparison.
  constexpr std::size_t longest = 64;
  if (name.size() > longest)
    return {};
  // One mistake in three characters, two in six: of shorter names any other would be near.
  std::size_t best = name.size() / 3 + 1;
  std::string found;
  for (const Name& candidate : candidates) {
    if (candidate.size() > longest)
      continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

} // namespace

std::string nearest(std::string_view name, std::span<const std::string_view> candidates) {
  return nearest_of(name, candidates);
}

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  return nearest_of(name, candidates);
}

} // namespace kerncast
