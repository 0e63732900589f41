// What the errors of measured launches come from.
//
//   kernel  GPU      given      rows   MAPE  median    p90    bias  Spearman  share
//   scale   titan-x  nothing       4  17.80   11.20  38.00  -12.10     0.950      -
//   scale   titan-x  registers     4   8.70    6.10  17.10   -5.80     0.960  +9.10
//
//   scale on titan-x: rows and points of the MAPE by what parts
//   parts at      rows  points
//   timing           3     6.2
//   instructions     1     2.5
//
//   scale on titan-x: the 1 worst of 4 rows, errors in per cent, of occupancy and l2_hit in points; config is
//   block row  config  measured  predicted   error  instructions  l2_hit  bound  parts at      farthest
//     3  64         10 us      12 us   +20.0          +7.1    -0.4  dram   instructions  instructions
#pragma once

#include <string>
#include <vector>

#include "json_text.h"
#include "table.h"
#include "validate/explained.h"

namespace kerncast::app {

Table stages_table(const std::vector<StagesOfKernel>& kernels);
// How many rows part at what.
Table parts_table(const WorstOfKernel& kernel);
Table worst_table(const WorstOfKernel& kernel);
// What the worst rows' table shows, in words.
std::string worst_title(const WorstOfKernel& kernel);
// Both tables of a kernel with their titles.
std::string worst_text(const WorstOfKernel& kernel);

Json stages_json(const std::vector<StagesOfKernel>& kernels);
Json worst_json(const std::vector<WorstOfKernel>& kernels);

} // namespace kerncast::app
