// Which CTAs the SMs get.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/sm_workload.h"
#include "tasklist/grid_order.h"

namespace kerncast::engine {

// CTAs of a grid that do the same.
struct GridKind {
  std::uint64_t ctas = 0;       // of the grid
  double work = 0;              // of one of them
  std::uint64_t bulk_bytes = 0; // likewise: global memory that bulk copies move
  tasklist::ClassExtent extent = {};
};

// SMs that get the same CTAs.
struct SmShare {
  std::uint64_t sm_count = 0;
  std::uint64_t ctas = 0;            // per SM
  double of_work = 0;                // an SM's share of the grid's
  std::vector<CtaRun> sequence = {}; // of an SM, in the order of the grid
};

// Every SM has as many CTAs as any other, or one fewer. The kinds are dealt out in turn, the one with most
// work first: SMs then differ by a CTA of each kind. SMs whose work differs by less than `equal_work` count
// as alike, unless bulk copies move other amounts, such as those of tiles that stick out of their tensor.
// An SM has its CTAs in the order of the grid, in which those of a kind lie evenly in its extent.
inline constexpr double equal_work = 0.05;
inline constexpr double equal_bytes = 0.01; // of bulk copies

// Those with most CTAs first, of these those with most work.
std::vector<SmShare> spread(std::span<const GridKind> kinds, std::uint64_t sms);

} // namespace kerncast::engine
