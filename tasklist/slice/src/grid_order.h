// Which class the CTAs of a grid belong to, in their order, put together from boxes.
#pragma once

#include <utility>
#include <vector>

#include "grid_box.h"
#include "tasklist/behaviour.h"
#include "tasklist/launch.h"

namespace kerncast::slice {

class GridOrder {
public:
  // Orders of more runs of equal CTAs are not kept.
  static constexpr std::size_t most_runs = 1U << 18;

  explicit GridOrder(tasklist::Dim3 grid) : grid_(grid) {}

  // The box's CTAs, whose classes `mix` counts: evenly mixed, row after row.
  void add(const Box& box, const std::vector<tasklist::ClassRun>& mix);
  // CTAs [first, first + run.count) of the grid.
  void add(std::uint64_t first, tasklist::ClassRun run);
  // Of the whole grid; empty if it is not known.
  std::vector<tasklist::ClassRun> take();

private:
  tasklist::Dim3 grid_;
  std::vector<std::pair<std::uint64_t, tasklist::ClassRun>> runs_; // each with its first CTA
};

} // namespace kerncast::slice
