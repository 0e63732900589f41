#include "hottest_line.h"

#include <algorithm>

#include "caches/line_table.h"

namespace kerncast::hit_rates {

void HottestLine::load(tasklist::TaskId task, std::uint64_t line, double sectors) {
  sectors_[task] += sectors;
  all_ += sectors;
  Slot& slot = slots_[caches::hash_line(line) % slots_.size()];
  if (slot.line != line && slot.lead >= sectors) {
    slot.lead -= sectors;
    return;
  }
  if (slot.line != line)
    slot = {.line = line, .lead = sectors - slot.lead};
  else
    slot.lead += sectors;
  slot.sectors += sectors;
  slot.by_task[task] += sectors;
}

void HottestLine::take(std::vector<SectorCounts>& by_task) {
  const Slot& hottest = *std::ranges::max_element(slots_, {}, &Slot::sectors);
  for (tasklist::TaskId task = 0; task < sectors_.size(); ++task)
    by_task[task].past_l1 += sectors_[task];
  if (hottest.sectors > all_ / static_cast<double>(slots_.size()))
    for (const auto& [task, sectors] : hottest.by_task)
      by_task[task].hottest_past_l1 += sectors;
  *this = HottestLine(sectors_.size());
}

} // namespace kerncast::hit_rates
