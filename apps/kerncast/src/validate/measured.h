// Launches that were measured, one a row of a table, beside the simulator.
#pragma once

#include <string_view>

#include "suites.h"

namespace kerncast::app {

// Of the table `input.file`, whose rows become launches as the mapping `input.map` says, with the PTX of
// `input.ptx` instead of the mapping's if it is not empty. Adds comparisons of `suite` to the report.
Expected<void> compare_launches(std::string_view suite, const SuiteInput& input, Report& report);

} // namespace kerncast::app
