#include "other_sizes.h"

#include <bit>
#include <utility>

namespace kerncast::hit_rates {

using caches::CacheLine;
using caches::SectoredCache;
using caches::SectorMask;

namespace {

// Not the lines that sampling of launches or the caches' sets would choose.
constexpr std::uint64_t seed = 0xd1b54a32d192ed03ULL;

// Sectors that were there.
SectorMask touch(SectoredCache& cache, std::uint64_t line, SectorMask sectors) {
  SectorMask evicted = 0;
  return cache.find_or_add(line, evicted).load(sectors);
}

} // namespace

OtherSizes::OtherSizes(SectoredCache half, SectoredCache twice, std::uint32_t shift)
    : half_(std::move(half)), twice_(std::move(twice)), shift_(shift) {}

bool OtherSizes::follows(std::uint64_t line) const {
  return shift_ == 0 || (caches::hash_line(line ^ seed) & ((std::uint64_t{1} << shift_) - 1)) == 0;
}

void OtherSizes::clear() {
  half_.clear();
  twice_.clear();
}

OtherSizes::Difference OtherSizes::load(std::uint64_t line, SectorMask wanted, SectorMask hit) {
  if (!follows(line))
    return {};
  const auto weight = static_cast<double>(std::uint64_t{1} << shift_);
  return {weight * std::popcount(hit & ~touch(half_, line, wanted)),
          weight * std::popcount(touch(twice_, line, wanted) & ~hit)};
}

void OtherSizes::fill(std::uint64_t line, SectorMask sectors) {
  if (!follows(line))
    return;
  touch(half_, line, sectors);
  touch(twice_, line, sectors);
}

void OtherSizes::write(std::uint64_t line, SectorMask sectors, caches::PartMask parts,
                       std::uint32_t parts_per_sector) {
  if (!follows(line))
    return;
  SectorMask evicted = 0;
  for (SectoredCache* cache : {&half_, &twice_})
    cache->write(cache->find_or_add(line, evicted), sectors, parts, parts_per_sector);
}

void OtherSizes::drop(std::uint64_t line, SectorMask sectors) {
  if (!follows(line))
    return;
  for (SectoredCache* cache : {&half_, &twice_})
    if (CacheLine* held = cache->find(line))
      held->valid &= ~sectors;
}

} // namespace kerncast::hit_rates
