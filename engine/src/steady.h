// Long runs of alike loop iterations or CTAs, continued once their cost has become steady.
//
// The workload is simulated with 1, 2, 4, 8 ... chunks of the run. The rate between two of these
// samples is taken to be that of all the rest, if the rate between the two before differs little enough; when
// half or a quarter of the run has been sampled without that, all of it is stepped through.
#pragma once

#include "engine/sm_workload.h"

namespace kerncast::engine {

using Simulate = SmResult (*)(const SmWorkload& workload);

// There is nothing in it that would be continued.
bool is_stepped_through(const SmWorkload& workload);

// `simulate` steps through a workload. The result's cycles differ from its by an estimated share of at most
// workload.steady_error; warp instructions are exact.
SmResult simulate_steadily(const SmWorkload& workload, Simulate simulate);

} // namespace kerncast::engine
