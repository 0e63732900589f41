// Which class the CTAs of a grid belong to, in their order: x first, then y, then z.
//
// Kept as boxes of CTAs, and laid out one by one only for who asks: a launch has many CTAs, and few models
// care where each of them is.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tasklist/launch.h"

namespace kerncast::tasklist {

// CTAs of one class that follow each other in the grid.
struct ClassRun {
  std::uint32_t cta_class = 0; // index into LaunchBehaviour::classes
  std::uint64_t count = 0;
  friend bool operator==(const ClassRun&, const ClassRun&) = default;
};

using GridPosition = std::array<std::uint32_t, 3>; // of a CTA: x, y, z

struct GridBox {
  GridPosition first{}, last{}; // inclusive
  std::uint64_t extent(std::size_t d) const { return std::uint64_t{last[d]} - first[d] + 1; }
  std::uint64_t rows() const { return extent(1) * extent(2); }
  std::uint64_t ctas() const { return extent(0) * rows(); }
};

// Where in the grid's order the CTAs of a class lie: where the first begins and the last ends, as fractions
// of the grid. Not whether they lie evenly between.
struct ClassExtent {
  double first = 0, last = 1;
};

// Of a grid all of whose CTAs were added once.
class GridOrder {
public:
  // Orders of more runs of equal CTAs are not kept.
  static constexpr std::uint64_t most_runs = 1U << 18;

  GridOrder() = default; // of a grid that is not known
  explicit GridOrder(Dim3 grid) : grid_(grid) {}

  // The box's CTAs, whose classes `mix` counts: evenly mixed, row after row.
  void add(const GridBox& box, std::vector<ClassRun> mix);
  // CTAs [first, first + run.count) of the grid.
  void add(std::uint64_t first, ClassRun run);

  bool is_known() const { return pieces_ > 0 && pieces_ <= most_runs; }
  // Of the whole grid; empty if it is not known.
  std::vector<ClassRun> runs() const;
  // Of a class of which CTAs were added, whether or not the order is known.
  ClassExtent extent(std::uint32_t cta_class) const;

private:
  struct Range { // of CTAs
    std::uint64_t first = ~std::uint64_t{0}, end = 0;
  };
  using Placed = std::vector<std::pair<std::uint64_t, ClassRun>>; // runs, each with its first CTA

  void count(std::uint64_t pieces);
  std::uint64_t number(const GridPosition& cta) const;
  void extend(std::uint32_t cta_class, std::uint64_t first, std::uint64_t end);
  void lay_out(const GridBox& box, const std::vector<ClassRun>& mix, Placed& runs) const;

  Dim3 grid_;
  std::vector<std::pair<GridBox, std::vector<ClassRun>>> boxes_; // each with its mix
  Placed runs_;
  std::vector<Range> ranges_; // by class
  std::uint64_t ctas_ = 0;    // up to the last one that was added
  std::uint64_t pieces_ = 0;  // runs of equal CTAs, at most
};

} // namespace kerncast::tasklist
