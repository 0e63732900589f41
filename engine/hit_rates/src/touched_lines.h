// Which lines and sectors an access pattern touches, by the alignment of its address.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "caches/sectored_cache.h"
#include "configs/gpu.h"
#include "tasklist/cta_accesses.h"

namespace kerncast::hit_rates {

struct TouchedLine {
  std::int64_t offset = 0;         // in lines, from the line of the access's address
  caches::SectorMask touched = 0;  // sectors of which some byte is
  caches::SectorMask complete = 0; // of which every byte is, or of long sectors something of each 64th part
  caches::PartMask parts = 0;      // of which some byte is
};

// In ascending order. `phase`: address modulo line size.
std::vector<TouchedLine> touched_lines(const tasklist::AccessPattern& pattern, std::uint32_t phase,
                                       const configs::Cache& cache);

class TouchedLines {
public:
  TouchedLines(const std::vector<tasklist::AccessPattern>& patterns, const configs::Cache& cache);

  std::span<const TouchedLine> of(std::uint32_t pattern, std::uint32_t phase);

private:
  struct Range {
    std::uint32_t phase = 0;
    std::uint32_t begin = 0, count = 0; // in pool_
  };
  const std::vector<tasklist::AccessPattern>& patterns_;
  const configs::Cache& cache_;
  std::vector<std::vector<Range>> ranges_; // by pattern: the phases that occurred, which are few
  std::vector<TouchedLine> pool_;
};

} // namespace kerncast::hit_rates
