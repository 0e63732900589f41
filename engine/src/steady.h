// Long runs of alike loop iterations or CTAs, continued once their cost has become steady.
//
// The workload is simulated with one, two and three chunks of the run. What three chunks cost beyond two is
// taken to be what every further chunk costs, if it differs little enough from what two cost beyond one;
// else the chunks are doubled, until they are so long that the whole run is stepped through.
#pragma once

#include "engine/sm_workload.h"

namespace kerncast::engine {

using Simulate = SmResult (*)(const SmWorkload& workload);

// `simulate` steps through a workload. The result's cycles differ from its by an estimated share of at most
// workload.steady_error; warp instructions are exact.
SmResult simulate_steadily(const SmWorkload& workload, Simulate simulate);

} // namespace kerncast::engine
