// Computed once per pattern and alignment.
#include "touched_lines.h"

#include <algorithm>
#include <iterator>

#include "hit_rates/cache_lines.h"

namespace kerncast::hit_rates {
namespace {

constexpr std::int64_t bits_of_coverage = 64;

// What of a sector is touched.
struct Coverage {
  std::int64_t sector = 0;
  std::uint64_t covered = 0;  // units of 1/64 of it (or bytes, if it has fewer)
  caches::PartMask parts = 0; // of its line
};

std::int64_t floor_of(std::int64_t number, std::int64_t by) {
  return number >= 0 ? number / by : -((-number + by - 1) / by);
}

// Neighbouring lanes mostly touch the same sector, or one that was touched a moment ago.
Coverage& coverage_of(std::int64_t sector, std::vector<Coverage>& all) {
  const auto known =
      std::find_if(all.rbegin(), all.rend(), [&](const Coverage& c) { return c.sector == sector; });
  return known != all.rend() ? *known : all.emplace_back(Coverage{.sector = sector});
}

// Units [first, last].
std::uint64_t units(std::int64_t first, std::int64_t last) {
  const std::uint64_t up_to_last =
      last + 1 >= bits_of_coverage ? ~std::uint64_t{0} : (std::uint64_t{1} << (last + 1)) - 1;
  return up_to_last & ~((std::uint64_t{1} << first) - 1);
}

void cover(std::int64_t begin, std::int64_t end, const configs::Cache& cache, std::vector<Coverage>& all) {
  const std::int64_t line_bytes = cache.line_bytes, sector_bytes = cache.sector_bytes;
  const std::int64_t unit = std::max<std::int64_t>(1, sector_bytes / bits_of_coverage);
  for (std::int64_t sector = floor_of(begin, sector_bytes); sector * sector_bytes < end; ++sector) {
    const std::int64_t base = sector * sector_bytes;
    const std::int64_t first = std::max(begin, base), last = std::min(end, base + sector_bytes) - 1;
    Coverage& coverage = coverage_of(sector, all);
    coverage.covered |= units((first - base) / unit, (last - base) / unit);
    coverage.parts |= parts_at(static_cast<std::uint64_t>(first - floor_of(first, line_bytes) * line_bytes),
                               static_cast<std::uint64_t>(last + 1 - first), cache);
  }
}

} // namespace

std::vector<TouchedLine> touched_lines(const tasklist::AccessPattern& pattern, std::uint32_t phase,
                                       const configs::Cache& cache) {
  const std::int64_t sector_bytes = cache.sector_bytes;
  std::vector<Coverage> sectors;
  for (std::uint32_t lane = 0; lane < tasklist::lanes_per_warp; ++lane)
    if ((pattern.mask >> lane & 1U) != 0) {
      const std::int64_t begin = pattern.offsets[lane] + phase;
      cover(begin, begin + std::max<std::int64_t>(1, pattern.bytes), cache, sectors);
    }
  std::sort(sectors.begin(), sectors.end(),
            [](const Coverage& a, const Coverage& b) { return a.sector < b.sector; });
  const std::int64_t per_line = cache.line_bytes / sector_bytes;
  const std::uint64_t all = units(0, std::min<std::int64_t>(sector_bytes, bits_of_coverage) - 1);
  std::vector<TouchedLine> lines;
  for (const auto& [sector, covered, parts] : sectors) {
    const std::int64_t line = floor_of(sector, per_line);
    if (lines.empty() || lines.back().offset != line)
      lines.push_back({.offset = line});
    const caches::SectorMask bit = caches::SectorMask{1} << (sector - line * per_line);
    lines.back().touched |= bit;
    lines.back().complete |= covered == all ? bit : 0;
    lines.back().parts |= parts;
  }
  return lines;
}

TouchedLines::TouchedLines(const std::vector<tasklist::AccessPattern>& patterns, const configs::Cache& cache)
    : patterns_(patterns), cache_(cache) {}

std::span<const TouchedLine> TouchedLines::of(std::uint32_t pattern, std::uint32_t phase) {
  if (pattern >= ranges_.size())
    ranges_.resize(patterns_.size());
  std::vector<Range>& of_pattern = ranges_[pattern];
  auto range =
      std::find_if(of_pattern.begin(), of_pattern.end(), [&](const Range& r) { return r.phase == phase; });
  if (range == of_pattern.end()) {
    const std::vector<TouchedLine> lines = touched_lines(patterns_[pattern], phase, cache_);
    of_pattern.push_back(
        {phase, static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(lines.size())});
    range = std::prev(of_pattern.end());
    pool_.insert(pool_.end(), lines.begin(), lines.end());
  }
  return std::span(pool_).subspan(range->begin, range->count);
}

} // namespace kerncast::hit_rates
