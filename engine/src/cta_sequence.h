// The CTAs that an SM gets, as numbers.
#pragma once

#include <cstdint>

#include "engine/sm_workload.h"

namespace kerncast::engine {

std::uint64_t ctas_of(const SmWorkload& workload);

// The workload with no more than its first `ctas`.
SmWorkload with_first_ctas(const SmWorkload& workload, std::uint64_t ctas);

} // namespace kerncast::engine
