// The parts of validate papers: what a paper prints, or what its formulas give, beside what kerncast
// computes.
#pragma once

#include "suites.h"

namespace kerncast::app {

Expected<void> add_pipelines(const SuiteInput& input, Report& report);    // 000 eq. 1; 003's example and mix
Expected<void> add_occupancies(const SuiteInput& input, Report& report);  // 002 Table 4
Expected<void> add_dissertation(const SuiteInput& input, Report& report); // 001: grid and needed warps

} // namespace kerncast::app
