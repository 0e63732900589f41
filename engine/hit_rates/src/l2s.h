// All L2s that see the same accesses, each as if it were the only one.
//
// Fully associative ones of which the least recently used line goes, and which differ in size only, are one
// stack (l2_stack.h); each of the others is simulated by itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "configs/gpu.h"
#include "hit_counts.h"
#include "hit_rates/device_caches.h"
#include "l2_run.h"
#include "l2_stack.h"

namespace kerncast::hit_rates {

// L2s that launches use one after the other.
struct L2sInUse {
  L2sInUse(std::span<const configs::Cache> l2s, const Effort& effort);

  std::vector<std::uint64_t> lines; // that are followed, by L2
  std::vector<L2InUse> by_themselves;
  std::vector<L2StackInUse> stacks;
};

// While a launch, or a part of it, runs.
class L2sRun {
public:
  // `l2s` must outlive the object. `tasks`: numbers that accesses' tasks are below of.
  L2sRun(L2sInUse& l2s, const configs::Cache& l1, std::size_t tasks);

  void run(std::span<const L2Access> accesses);
  // By L2, with what is common to all of them: the counts of what it did since it was asked last.
  std::vector<HitCounts> take_counts(const HitCounts& common);

private:
  std::size_t number_of_l2s_;
  std::vector<L2Run> by_themselves_;
  std::vector<L2StackRun> stacks_;
};

} // namespace kerncast::hit_rates
