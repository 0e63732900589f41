// The order of points under uncertain keys.
#pragma once

#include "sweep/analysis.h"

namespace kerncast::sweep {

// `analysis` has the points as stated, `varied` those of the samples that have a prediction.
Stability stability_of(std::size_t objective, const Analysis& analysis, const Plan& plan,
                       const std::vector<PointResult>& varied);

} // namespace kerncast::sweep
