// One SM from the first CTA to the last.
#pragma once

#include <functional>

#include "engine/sm_workload.h"

namespace kerncast::engine {

// Simulates the workload event-driven, cost proportional to the instructions issued; exactly, or as its
// `steady_error` allows. A pure function of its argument.
SmResult simulate_sm(const SmWorkload& workload);

// simulate_sm, or something that gives the same results in another way.
using SimulateSm = std::function<SmResult(const SmWorkload& workload)>;

} // namespace kerncast::engine
