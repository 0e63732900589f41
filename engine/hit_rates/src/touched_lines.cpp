// Computed once per pattern and alignment.
#include "touched_lines.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace kerncast::hit_rates {
namespace {

// A sector mask has so many bits.
constexpr std::uint32_t max_sectors_per_line = 32;
constexpr std::uint32_t bits_of_coverage = 64;

// What of a sector is touched, in units of 1/64 of it (or bytes, if it has fewer).
using Coverage = std::map<std::int64_t, std::uint64_t>; // by sector

void cover(std::int64_t begin, std::int64_t end, std::int64_t sector_bytes, Coverage& coverage) {
  const std::int64_t unit = std::max<std::int64_t>(1, sector_bytes / bits_of_coverage);
  for (std::int64_t at = begin; at < end; ++at) {
    const std::int64_t sector = at >= 0 ? at / sector_bytes : -((-at + sector_bytes - 1) / sector_bytes);
    coverage[sector] |= std::uint64_t{1} << ((at - sector * sector_bytes) / unit);
  }
}

} // namespace

std::uint32_t sector_bytes_of(const configs::Cache& cache) {
  return std::max(cache.sector_bytes, cache.line_bytes / max_sectors_per_line);
}

TouchedLines::TouchedLines(const std::vector<tasklist::AccessPattern>& patterns, const configs::Cache& cache)
    : patterns_(patterns), line_bytes_(cache.line_bytes), sector_bytes_(sector_bytes_of(cache)) {}

std::span<const TouchedLine> TouchedLines::of(std::uint32_t pattern, std::uint32_t phase) {
  if (pattern >= ranges_.size())
    ranges_.resize(patterns_.size());
  std::vector<Range>& of_pattern = ranges_[pattern];
  auto range =
      std::find_if(of_pattern.begin(), of_pattern.end(), [&](const Range& r) { return r.phase == phase; });
  if (range == of_pattern.end()) {
    const std::vector<TouchedLine> lines = expand(patterns_[pattern], phase);
    of_pattern.push_back(
        {phase, static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(lines.size())});
    range = std::prev(of_pattern.end());
    pool_.insert(pool_.end(), lines.begin(), lines.end());
  }
  return std::span(pool_).subspan(range->begin, range->count);
}

std::vector<TouchedLine> TouchedLines::expand(const tasklist::AccessPattern& pattern,
                                              std::uint32_t phase) const {
  Coverage coverage;
  for (std::uint32_t lane = 0; lane < tasklist::lanes_per_warp; ++lane)
    if ((pattern.mask >> lane & 1U) != 0) {
      const std::int64_t begin = pattern.offsets[lane] + phase;
      cover(begin, begin + std::max<std::int64_t>(1, pattern.bytes), sector_bytes_, coverage);
    }
  const std::uint32_t sectors_per_line = line_bytes_ / sector_bytes_;
  const std::uint32_t units = std::min(sector_bytes_, bits_of_coverage);
  const std::uint64_t all = units == bits_of_coverage ? ~std::uint64_t{0} : (std::uint64_t{1} << units) - 1;
  std::vector<TouchedLine> lines;
  for (const auto& [sector, covered] : coverage) {
    const std::int64_t per_line = sectors_per_line;
    const std::int64_t line = sector >= 0 ? sector / per_line : -((-sector + per_line - 1) / per_line);
    if (lines.empty() || lines.back().offset != line)
      lines.push_back({line, 0, 0});
    const caches::SectorMask bit = caches::SectorMask{1} << (sector - line * per_line);
    lines.back().touched |= bit;
    lines.back().complete |= covered == all ? bit : 0;
  }
  return lines;
}

} // namespace kerncast::hit_rates
