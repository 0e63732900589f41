// What an SM does along a run whose every further chunk costs the same.
#pragma once

#include <cstdint>

#include "engine/sm_workload.h"

namespace kerncast::engine {

// `before` and `last` are results one chunk apart, with their operations; returns that `chunks` beyond
// `last`.
SmResult continue_result(const SmResult& before, SmResult last, std::uint64_t chunks);

} // namespace kerncast::engine
