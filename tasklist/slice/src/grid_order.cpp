#include "grid_order.h"

#include <algorithm>

namespace kerncast::slice {
namespace {

using tasklist::ClassRun;

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

void GridOrder::add(const Box& box, const std::vector<ClassRun>& mix) {
  EvenMix classes(mix);
  const std::uint64_t rows = box.extent(1) * box.extent(2), row_ctas = box.extent(0);
  for (std::uint64_t row = 0; row < rows && runs_.size() <= most_runs; ++row) {
    const std::uint64_t y = box.first[1] + row % box.extent(1), z = box.first[2] + row / box.extent(1);
    const std::uint64_t first = (z * grid_.y + y) * grid_.x + box.first[0];
    if (mix.size() == 1)
      add(first, {mix.front().cta_class, row_ctas});
    else
      for (std::uint64_t x = 0; x < row_ctas && runs_.size() <= most_runs; ++x)
        add(first + x, {classes.next(), 1});
  }
}

void GridOrder::add(std::uint64_t first, ClassRun run) {
  if (runs_.size() <= most_runs && run.count > 0)
    runs_.emplace_back(first, run);
}

std::vector<ClassRun> GridOrder::take() {
  std::vector<ClassRun> order;
  if (runs_.size() > most_runs)
    return order;
  std::sort(runs_.begin(), runs_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [first, run] : runs_) {
    if (!order.empty() && order.back().cta_class == run.cta_class)
      order.back().count += run.count;
    else
      order.push_back(run);
  }
  return order;
}

} // namespace kerncast::slice
