// A scaling curve as a table and as JSON:
//
//   cg on unit, cluster unit: strong scaling
//   GPUs     time  speedup  efficiency  compute  exposed  waiting
//      1   100 us     1.00     100.0 %   100 us     0 us     0 us
//      2    60 us     1.67      83.3 %    50 us    10 us     0 us
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json_text.h"
#include "predict/result.h"

namespace kerncast::app {

struct Scaling {
  std::vector<std::uint32_t> gpus;             // by point
  std::vector<std::string> grown;              // names that grow with the ranks; none: strong scaling
  std::vector<std::vector<Prediction>> points; // by point, then by kind of GPU
};

std::string scaling_table(const Scaling& scaling);
// kerncast-scaling/1
Json scaling_json(const Scaling& scaling);

} // namespace kerncast::app
