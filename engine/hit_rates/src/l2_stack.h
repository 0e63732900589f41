// L2s that differ in size only while a launch, or a part of it, runs: one list of lines for all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "caches/lru_stack.h"
#include "configs/gpu.h"
#include "hit_counts.h"
#include "hit_rates/cache_lines.h"
#include "l2_run.h"

namespace kerncast::hit_rates {

// L2s that launches use one after the other.
struct L2StackInUse {
  struct Member {
    std::size_t l2 = 0; // its number among all L2s
    caches::LruStack::Level level = 0;
  };
  configs::Cache described; // but for the size
  caches::LruStack stack;
  std::vector<Member> members; // those of one size have the same level
};

// Counts the same for each as an L2Run.
class L2StackRun {
public:
  // `l2s` must outlive the object. `tasks`: numbers that accesses' tasks are below of.
  L2StackRun(L2StackInUse& l2s, const configs::Cache& l1, std::size_t tasks);

  void run(std::span<const L2Access> accesses);

  // Adds to each L2's counts what was counted since it was asked last.
  void take_counts(std::span<HitCounts> by_l2);

private:
  using Line = caches::LruStack::Line;
  // Of the caches from a level on: what happened, by that level.
  using ByLevel = std::vector<std::uint64_t>;

  void load(const L2Access& access, Line& line, caches::SectorMask sectors);
  Line& use(const L2Access& access, std::uint64_t number);
  void store(Line& line, caches::SectorMask sectors, caches::PartMask parts);

  L2StackInUse& l2s_;
  LinesOfL2 lines_;
  std::uint32_t parts_per_sector_;
  ByLevel dirty_;                      // sectors that were dirty before they were stored
  std::vector<ByLevel> there_by_task_; // lines that were there
  std::vector<ByLevel> hits_by_task_;
  std::vector<ByLevel> hits_by_group_;
};

} // namespace kerncast::hit_rates
