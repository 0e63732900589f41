#include "pattern_classes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "warp/address_shapes.h"

namespace kerncast::slice {
namespace {

using tasklist::AddressShape;
using tasklist::Space;

constexpr std::size_t most_classes = 2048;
constexpr std::uint64_t most_uses = 1U << 20;
constexpr std::uint64_t banks = 32;

std::uint32_t distinct(std::vector<std::uint64_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return static_cast<std::uint32_t>(values.size());
}

// Pieces of so many bytes that lanes [first, end) touch.
std::vector<std::uint64_t> pieces(const AddressShape& shape, std::uint64_t bytes, std::uint32_t first,
                                  std::uint32_t end) {
  std::vector<std::uint64_t> found;
  for (std::uint32_t i = first; i < end; ++i) {
    if (!has(shape.mask, i))
      continue;
    const std::uint64_t last = (shape.offsets[i] + std::max<std::uint64_t>(shape.bytes, 1) - 1) / bytes;
    for (std::uint64_t p = shape.offsets[i] / bytes; p <= last; ++p)
      found.push_back(p);
  }
  distinct(found);
  return found;
}

// Wide lanes go in as many parts of the warp, one after the other.
std::uint32_t wavefronts(const AddressShape& shape, std::uint64_t bank_bytes) {
  const auto parts = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::bit_ceil(shape.bytes / bank_bytes), 1, lanes_per_warp));
  const std::uint32_t lanes = lanes_per_warp / parts;
  std::uint32_t sum = 0;
  for (std::uint32_t part = 0; part < parts; ++part) {
    std::array<std::uint32_t, banks> words{};
    for (const std::uint64_t word : pieces(shape, bank_bytes, part * lanes, (part + 1) * lanes))
      ++words[word % banks];
    sum += *std::max_element(words.begin(), words.end());
  }
  return sum;
}

std::uint32_t addresses_of(const AddressShape& shape) {
  std::vector<std::uint64_t> addresses;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if (has(shape.mask, i))
      addresses.push_back(shape.offsets[i]);
  return distinct(addresses);
}

} // namespace

PatternCost cost_of(const AddressShape& shape, Space space) {
  constexpr std::uint64_t narrow = 4, wide = 8;
  const auto touched = [&](std::uint64_t bytes) {
    return static_cast<std::uint32_t>(pieces(shape, bytes, 0, lanes_per_warp).size());
  };
  PatternCost cost;
  cost.place_known = shape.place_known;
  cost.lanes = static_cast<std::uint32_t>(std::popcount(shape.mask));
  if (space == Space::shared || space == Space::generic) {
    cost.narrow_wavefronts = wavefronts(shape, narrow);
    cost.wide_wavefronts = wavefronts(shape, wide);
  }
  if (space == Space::constant || space == Space::param)
    cost.addresses = addresses_of(shape);
  if (space != Space::shared) {
    cost.sectors = touched(sector_bytes);
    cost.lines = touched(line_bytes);
  }
  return cost;
}

std::optional<std::uint32_t> PatternClasses::find(const AddressShape& shape, Space space,
                                                  BehaviourBuilder& builder) {
  const auto lanes = static_cast<std::uint32_t>(std::popcount(shape.mask));
  if (uses_ == most_uses && typical_[lanes])
    return typical_[lanes];
  const PatternCost cost = cost_of(shape, space);
  auto at = classes_.find(cost);
  if (at == classes_.end()) {
    if (classes_.size() == most_classes)
      return std::nullopt;
    at = classes_.emplace(cost, Class{builder.shape(shape), 0}).first;
  }
  ++at->second.uses;
  if (uses_ < most_uses && ++uses_ == most_uses)
    find_typical();
  return at->second.shape;
}

// What the average is off by for some number of lanes, the next one makes good.
void PatternClasses::find_typical() {
  const auto amount = [](const PatternCost& cost) {
    return static_cast<double>(cost.sectors + cost.addresses + cost.narrow_wavefronts);
  };
  double owed = 0;
  for (auto first = classes_.begin(); first != classes_.end();) {
    const auto end = std::find_if(first, classes_.end(),
                                  [&](const auto& c) { return c.first.lanes != first->first.lanes; });
    double uses = 0, sum = owed;
    for (auto c = first; c != end; ++c) {
      uses += static_cast<double>(c->second.uses);
      sum += static_cast<double>(c->second.uses) * amount(c->first);
    }
    const auto distance = [&](const auto& c) { return std::abs(amount(c.first) - sum / uses); };
    const auto nearest =
        std::min_element(first, end, [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
    typical_[first->first.lanes] = nearest->second.shape;
    owed = sum - uses * amount(nearest->first);
    first = end;
  }
}

} // namespace kerncast::slice
