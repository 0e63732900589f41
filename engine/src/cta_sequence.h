// The CTAs that an SM gets, as numbers.
#pragma once

#include <cstdint>

#include "engine/sm_workload.h"

namespace kerncast::engine {

std::uint64_t ctas_of(const SmWorkload& workload);

// No more than the first so many.
std::vector<CtaRun> first_ctas(const std::vector<CtaRun>& all, std::uint64_t ctas);

// With how many of the same they begin.
std::uint64_t common_ctas(const std::vector<CtaRun>& a, const std::vector<CtaRun>& b);

// The workload, alone, with these CTAs.
SmWorkload with_ctas(const SmWorkload& workload, std::vector<CtaRun> ctas);

// The workload, alone, with no more than its first `ctas`.
SmWorkload with_first_ctas(const SmWorkload& workload, std::uint64_t ctas);

} // namespace kerncast::engine
