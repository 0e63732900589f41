// Which sectors, lines, banks and constant addresses the lanes of a warp touch.
//
// Left out: the transaction rules of GPUs before compute capability 2.0.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <vector>

#include "memory_model/request.h"

namespace kerncast::memory_model {
namespace {

constexpr std::uint32_t lanes_per_warp = 32;

// Distinct numbers among few, kept sorted; a warp's access of 16-byte lanes touches at most 64 sectors when
// every lane straddles a boundary.
class SmallSet {
public:
  void insert(std::uint64_t value) {
    auto* const end = values_.data() + count_;
    auto* const at = std::lower_bound(values_.data(), end, value);
    if (at != end && *at == value)
      return;
    std::move_backward(at, end, end + 1);
    *at = value;
    ++count_;
  }
  std::uint32_t count() const { return count_; }

private:
  std::array<std::uint64_t, 16 * lanes_per_warp + 1> values_;
  std::uint32_t count_ = 0;
};

std::uint32_t active_lanes(const LaneAddresses& access) {
  return static_cast<std::uint32_t>(std::popcount(access.mask));
}

std::uint32_t distinct_chunks(const LaneAddresses& access, std::uint64_t chunk_bytes) {
  SmallSet chunks;
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane) {
    if ((access.mask >> lane & 1U) == 0)
      continue;
    const std::uint64_t first = access.offsets[lane] / chunk_bytes;
    const std::uint64_t last = (access.offsets[lane] + std::max(1U, access.bytes_per_lane) - 1) / chunk_bytes;
    for (std::uint64_t chunk = first; chunk <= last && chunk < first + 16; ++chunk)
      chunks.insert(chunk);
  }
  return chunks.count();
}

// The most distinct words that lanes [first, end) want from one bank.
std::uint32_t bank_conflict_degree(const LaneAddresses& access, const configs::SharedMemory& shared,
                                   std::uint32_t first, std::uint32_t end) {
  SmallSet words;
  std::vector<std::uint32_t> words_in_bank(shared.banks);
  std::uint32_t degree = 0;
  for (std::uint32_t lane = first; lane < end; ++lane) {
    if ((access.mask >> lane & 1U) == 0)
      continue;
    const std::uint64_t begin = access.offsets[lane] / shared.bank_bytes;
    const std::uint64_t last =
        (access.offsets[lane] + std::max(1U, access.bytes_per_lane) - 1) / shared.bank_bytes;
    for (std::uint64_t word = begin; word <= last; ++word) {
      const std::uint32_t before = words.count();
      words.insert(word);
      if (words.count() != before)
        degree = std::max(degree, ++words_in_bank[word % shared.banks]);
    }
  }
  return degree;
}

template <class Use> void for_each_lane(const LaneAddresses& access, const Use& use) {
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
    if ((access.mask >> lane & 1U) != 0)
      use(access.offsets[lane]);
}

std::map<std::uint64_t, std::uint32_t> lanes_by_address(const LaneAddresses& access) {
  std::map<std::uint64_t, std::uint32_t> lanes;
  for_each_lane(access, [&](std::uint64_t offset) { ++lanes[offset]; });
  return lanes;
}

// Whether active lanes n and n xor `distance` have the same address.
bool pairs_agree(const LaneAddresses& access, std::uint32_t distance) {
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
    if ((access.mask >> lane & 1U) != 0 && (access.mask >> (lane ^ distance) & 1U) != 0 &&
        access.offsets[lane] != access.offsets[lane ^ distance])
      return false;
  return true;
}

} // namespace

Coalescing coalesce(const LaneAddresses& access, const configs::Cache& cache) {
  if (!access.known) {
    const std::uint32_t pieces =
        (std::max(1U, access.bytes_per_lane) + cache.sector_bytes - 1) / cache.sector_bytes;
    return {active_lanes(access) * pieces, active_lanes(access)};
  }
  return {distinct_chunks(access, cache.sector_bytes), distinct_chunks(access, cache.line_bytes)};
}

// The chance that no bank has more than `most` of n words is n! times the coefficient of x^n in (sum over
// k <= most of (x / banks)^k / k!)^banks (exponential generating functions of words by bank).
double words_of_fullest_bank(std::uint32_t words, std::uint32_t banks) {
  const auto chance_of_at_most = [&](std::uint32_t most) {
    std::vector<double> chances(words + 1, 0); // by number of words in the banks so far, over its factorial
    chances[0] = 1;
    for (std::uint32_t bank = 0; bank < banks; ++bank)
      for (std::uint32_t n = words; n > 0; --n) {
        double term = 1;
        for (std::uint32_t k = 1; k <= std::min(most, n); ++k) {
          term /= double{1} * k * banks;
          chances[n] += chances[n - k] * term;
        }
      }
    double chance = chances[words];
    for (std::uint32_t n = 1; n <= words; ++n)
      chance *= n;
    return chance;
  };
  double mean = 0;
  constexpr double never = 1e-12;
  double more = 1; // the chance that some bank has more than `most`
  for (std::uint32_t most = 0; most < words && more > never; ++most) {
    more = 1 - chance_of_at_most(most);
    mean += more;
  }
  return mean;
}

namespace {

double scattered_wavefronts(const LaneAddresses& access, const configs::SharedMemory& shared,
                            std::uint32_t parts) {
  const std::uint32_t words_of_lane = std::max(1U, access.bytes_per_lane / shared.bank_bytes);
  const std::uint32_t lanes_of_part = (active_lanes(access) + parts - 1) / parts;
  return parts * words_of_fullest_bank(lanes_of_part, std::max(1U, shared.banks / words_of_lane));
}

} // namespace

double shared_wavefronts(const LaneAddresses& access, const configs::SharedMemory& shared, bool packs_pairs) {
  if (active_lanes(access) == 0)
    return 1;
  // A wavefront moves banks x bank_bytes; wider lanes go in as many parts of the warp. Where there are fewer
  // banks than lanes these conflict.
  const std::uint32_t bytes_per_wavefront = std::max(shared.banks, lanes_per_warp) * shared.bank_bytes;
  std::uint32_t parts = std::clamp<std::uint32_t>(
      std::bit_ceil(access.bytes_per_lane * lanes_per_warp / bytes_per_wavefront), 1, lanes_per_warp);
  if (access.scattered)
    return scattered_wavefronts(access, shared, parts);
  if (!access.known)
    return parts;
  if (packs_pairs && parts > 1 && (pairs_agree(access, 1) || pairs_agree(access, 2)))
    parts /= 2;
  const std::uint32_t lanes_per_part = lanes_per_warp / parts;
  std::uint32_t wavefronts = 0;
  for (std::uint32_t part = 0; part < parts; ++part)
    wavefronts += bank_conflict_degree(access, shared, part * lanes_per_part, (part + 1) * lanes_per_part);
  return std::max(1U, wavefronts);
}

double shared_atomic_wavefronts(const LaneAddresses& access, const configs::SharedMemory& shared) {
  if (!access.known)
    return shared_wavefronts(access, shared);
  std::map<std::uint64_t, std::uint32_t> turns; // by word: of the address in it that most have
  for (const auto& [offset, count] : lanes_by_address(access)) {
    std::uint32_t& most = turns[offset / shared.bank_bytes];
    most = std::max(most, count);
  }
  std::vector<std::uint32_t> of_bank(shared.banks);
  for (const auto& [word, count] : turns)
    of_bank[word % shared.banks] += count;
  return std::max(1U, *std::max_element(of_bank.begin(), of_bank.end()));
}

std::uint32_t lanes_at_one_address(const LaneAddresses& access) {
  if (!access.known)
    return 1;
  std::uint32_t most = 1;
  for (const auto& [offset, count] : lanes_by_address(access))
    most = std::max(most, count);
  return most;
}

std::uint32_t constant_passes(const LaneAddresses& access) {
  if (!access.known || access.mask == 0)
    return 1;
  SmallSet addresses;
  for_each_lane(access, [&](std::uint64_t offset) { addresses.insert(offset); });
  return addresses.count();
}

} // namespace kerncast::memory_model
