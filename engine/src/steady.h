// Long runs of alike loop iterations or CTAs, continued once their cost has become steady.
//
// The workload is simulated with one, two, four, eight ... chunks of the run. The rate between two of these samples
// is taken to be that of all the rest, if the rate before differs little enough; else there is a next sample, until
// they are so long that the whole run is stepped through.
#pragma once

#include "engine/sm_workload.h"

namespace kerncast::engine {

using Simulate = SmResult (*)(const SmWorkload& workload);

// `simulate` steps through a workload. The result's cycles differ from its by an estimated share of at most
// workload.steady_error; warp instructions are exact.
SmResult simulate_steadily(const SmWorkload& workload, Simulate simulate);

} // namespace kerncast::engine
