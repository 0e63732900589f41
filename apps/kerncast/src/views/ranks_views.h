// What the ranks of an application did, as a table and as JSON:
//
//   4 ranks on cluster unit (2 nodes of 2 GPUs): 3 windows, ...
//        rank    time  compute  copies  communication  exposed  waiting     sent  received
//           0   20 us    10 us    0 us           8 us     8 us     0 us   8000 B    8000 B
//   slowest 3, fastest 0
//   all_reduce of 8000 bytes: ring (the cheapest), 1 time, 18 us
//   busiest network link: 8 us, 40 %
//   critical path: ...
#pragma once

#include <string>

#include "json_text.h"
#include "predict/cluster_prediction.h"

namespace kerncast::app {

// Sums and extremes of all ranks.
struct RankSummary {
  const ranks::RankOutcome* slowest = nullptr;
  const ranks::RankOutcome* fastest = nullptr;
  ranks::RankStatistics mean; // counts: rounded down
};
RankSummary summary_of(const ranks::RanksResult& result);

std::string ranks_table(const ClusterPrediction& prediction);
Json ranks_json(const ClusterPrediction& prediction);

} // namespace kerncast::app
