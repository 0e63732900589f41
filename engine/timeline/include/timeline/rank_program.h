// What the ranks of one application do: events in order, of which each rank has its own variant or none.
#pragma once

#include <cstdint>
#include <vector>

#include "support/diagnostics.h"
#include "timeline/timeline.h"

namespace kerncast::timeline {

struct RankStep {
  static constexpr std::uint32_t none = UINT32_MAX;
  Place place; // in the application's file
  std::vector<Event> variants;
  std::vector<std::uint32_t> of_rank; // index into variants, or none; empty: all ranks have the first

  const Event* at(std::uint32_t rank) const {
    if (of_rank.empty())
      return variants.data();
    return of_rank[rank] == none ? nullptr : &variants[of_rank[rank]];
  }
};

struct RankProgram {
  std::uint32_t ranks = 0; // 0: an application of one GPU
  std::vector<RankStep> steps;
  std::vector<std::uint32_t> order; // of steps, by position; repetitions name some of them again

  const RankStep& step(std::size_t position) const { return steps[order[position]]; }
  // The rank's event at the position, else its next one; null: no more.
  const Event* next(std::uint32_t rank, std::size_t& position) const {
    for (; position < order.size(); ++position)
      if (const Event* event = step(position).at(rank))
        return event;
    return nullptr;
  }
};

} // namespace kerncast::timeline
