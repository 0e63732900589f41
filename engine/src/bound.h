// What keeps a kernel from being faster.
#pragma once

#include <string>

#include "engine/kernel.h"
#include "engine/sm_workload.h"

namespace kerncast::engine {

// The most utilised resource if it is nearly saturated, else what the warps wait for. One of the values of
// the key `bound` of kerncast-prediction/1.
std::string find_bound(const SmResult& slowest_sm, const KernelPlan& plan, const configs::Gpu& gpu);

} // namespace kerncast::engine
