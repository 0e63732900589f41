// What `kerncast sweep` says when all rows are there.
//
//   cache or bandwidth: 2 applications, 1 GPU, 7 points: 14 rows, 14 of them computed now
//   front of time and price: 2 of 7 points are not beaten
//      time  price  gpu             point
//   3512.79     86  a100-sxm4-40gb  dram.bandwidth_gbps=3200, l2.mib=40
//   ...
//   sensitivity: means over the points with one value
//   objective  swing  key                    least  at    most  at
//   time       8.1 %  dram.bandwidth_gbps  3512.79  3200  ...
#pragma once

#include <string>

#include "json_text.h"
#include "sweep/analysis.h"
#include "sweep/run_job.h"

namespace kerncast::app {

std::string sweep_table(const SweepJob& job, const SweepOutcome& ran);
Json sweep_json(const SweepJob& job, const SweepOutcome& ran);
// Rows without a prediction, as warnings.
std::string sweep_warnings(const SweepOutcome& ran);

} // namespace kerncast::app
