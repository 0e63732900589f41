// The accesses of all CTAs of one launch that was executed, with their addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tasklist/cta_accesses.h"

namespace kerncast::functional {

struct GridTrace {
  struct Access {
    std::uint64_t address = 0; // of the lowest active lane, bytes
    tasklist::TaskId task = 0;
    std::uint32_t pattern = 0; // in patterns
  };
  std::uint32_t warps_per_cta = 0;
  std::vector<Access> accesses;          // CTA after CTA, warp after warp, each in the order of execution
  std::vector<std::uint64_t> warp_begin; // first access of every warp of the grid, and the number of all
  std::vector<std::uint64_t> places;     // of the grid's CTAs among those above; empty: in the grid's order
  std::vector<tasklist::AccessPattern> patterns;
  bool misses_patterns = false; // there were more; their accesses are traced as unknown
};

// Many may read one trace.
std::unique_ptr<tasklist::AccessSource> source_of(std::shared_ptr<const GridTrace> trace);

} // namespace kerncast::functional
