// DRAM under load: the more of its bandwidth is in use, the longer its requests wait for one another. What
// DRAM serves takes b x / (c - x) cycles longer at x bytes per clock (001, sec. 6.4, Table 6.5), where the
// servers of memory_pipeline.h alone would let it answer as fast at 99 % of the bandwidth as at 1 %.
//
// x is the mean over the workload, and the latency that it follows from decides it again: the fixed point. An
// average that is updated during the run would oscillate.
#pragma once

#include <functional>
#include <vector>

#include "engine/sm_workload.h"

namespace kerncast::engine {

// A run of the SM that finds the load.
struct RunOfBusiest {
  SmResult result;
  // Those of the workload's other_ctas, if there are any: to be asked for once, of the workload that was run.
  std::function<std::vector<SmResult>()> others = {};
};

// `simulate` runs a workload with the dram_queueing that its config has. The result is that of the run whose
// queueing follows from its own bandwidth: to a few thousandths of its cycles, and to 2 % where another bound
// gives way to DRAM's latency just there. SmResult::dram_queueing says how much it was. Mostly one to three
// runs; of one whose warps drift so that it finds no rest, the tenth. Others are run beside the last only.
SmResult simulate_under_load(const SmWorkload& workload,
                             const std::function<RunOfBusiest(const SmWorkload&)>& simulate);

} // namespace kerncast::engine
