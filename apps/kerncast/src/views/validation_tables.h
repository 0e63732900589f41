// Parts that the texts of kerncast validate share.
#pragma once

#include <optional>
#include <string>

#include "table.h"
#include "validate/report.h"

namespace kerncast::app {

// Of everything that is no occupancy curve; none if there is nothing else.
std::optional<Table> statistics_table(const Report& report);

// "-" for none.
std::string correlation_text(const std::optional<double>& value);

} // namespace kerncast::app
