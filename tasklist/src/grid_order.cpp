#include "tasklist/grid_order.h"

#include <algorithm>

namespace kerncast::tasklist {
namespace {

// Deals out classes so that each has its share of any first few.
class EvenMix {
public:
  explicit EvenMix(const std::vector<ClassRun>& mix) : mix_(mix), given_(mix.size(), 0) {
    for (const ClassRun& run : mix)
      all_ += run.count;
  }
  std::uint32_t next() {
    ++dealt_;
    std::size_t most_due = 0;
    for (std::size_t i = 1; i < mix_.size(); ++i)
      if (due(i) > due(most_due))
        most_due = i;
    ++given_[most_due];
    return mix_[most_due].cta_class;
  }

private:
  double due(std::size_t i) const {
    return static_cast<double>(mix_[i].count) * static_cast<double>(dealt_) / static_cast<double>(all_) -
           static_cast<double>(given_[i]);
  }

  const std::vector<ClassRun>& mix_;
  std::vector<std::uint64_t> given_;
  std::uint64_t all_ = 0;
  std::uint64_t dealt_ = 0;
};

} // namespace

void GridOrder::count(std::uint64_t pieces) {
  pieces_ += pieces;
  if (pieces_ <= most_runs)
    return;
  boxes_.clear();
  runs_.clear();
}

std::uint64_t GridOrder::number(const GridPosition& cta) const {
  return (std::uint64_t{cta[2]} * grid_.y + cta[1]) * grid_.x + cta[0];
}

void GridOrder::extend(std::uint32_t cta_class, std::uint64_t first, std::uint64_t end) {
  if (cta_class >= ranges_.size())
    ranges_.resize(cta_class + 1);
  Range& range = ranges_[cta_class];
  range = {std::min(range.first, first), std::max(range.end, end)};
  ctas_ = std::max(ctas_, end);
}

ClassExtent GridOrder::extent(std::uint32_t cta_class) const {
  const Range& range = ranges_[cta_class];
  const auto ctas = static_cast<double>(ctas_);
  return {static_cast<double>(range.first) / ctas, static_cast<double>(range.end) / ctas};
}

void GridOrder::add(const GridBox& box, std::vector<ClassRun> mix) {
  for (const ClassRun& run : mix)
    extend(run.cta_class, number(box.first), number(box.last) + 1);
  const std::uint64_t pieces = mix.size() == 1 ? box.rows() : box.ctas();
  boxes_.emplace_back(box, std::move(mix));
  count(pieces);
}

void GridOrder::add(std::uint64_t first, ClassRun run) {
  if (run.count == 0)
    return;
  extend(run.cta_class, first, first + run.count);
  runs_.emplace_back(first, run);
  count(1);
}

void GridOrder::lay_out(const GridBox& box, const std::vector<ClassRun>& mix, Placed& runs) const {
  EvenMix classes(mix);
  for (std::uint64_t row = 0; row < box.rows(); ++row) {
    const auto y = static_cast<std::uint32_t>(box.first[1] + row % box.extent(1));
    const auto z = static_cast<std::uint32_t>(box.first[2] + row / box.extent(1));
    const std::uint64_t first = number({box.first[0], y, z});
    if (mix.size() == 1)
      runs.emplace_back(first, ClassRun{mix.front().cta_class, box.extent(0)});
    else
      for (std::uint64_t x = 0; x < box.extent(0); ++x)
        runs.emplace_back(first + x, ClassRun{classes.next(), 1});
  }
}

std::vector<ClassRun> GridOrder::runs() const {
  std::vector<ClassRun> order;
  if (!is_known())
    return order;
  Placed placed = runs_;
  for (const auto& [box, mix] : boxes_)
    lay_out(box, mix, placed);
  std::ranges::sort(placed, {}, [](const auto& run) { return run.first; });
  for (const auto& [first, run] : placed) {
    if (!order.empty() && order.back().cta_class == run.cta_class)
      order.back().count += run.count;
    else
      order.push_back(run);
  }
  return order;
}

} // namespace kerncast::tasklist
