#include "support/suggest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace kerncast {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row.back();
}

template <class Name> std::string nearest_of(std::string_view name, std::span<const Name> candidates) {
  // Names beyond any spelling mistake are not worth the quadratic comparison.
  constexpr std::size_t longest = 64;
  if (name.size() > longest)
    return {};
  std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
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
