// What kerncast validate found: tables, JSON (kerncast-validation/1), and CSV with one row a compared number.
//
//   003, Table 8: MAPE of pipeline
//   kernel     gtx980  titan-x
//   hotspot      12.3     11.8
//
//   003, Tables 10 to 12: MAPE / shape MAPE on gtx980
//   kernel     pipeline     volkov    mwp-cwp ...
//   hotspot  12.3 / 4.5  22.1 / 8.0  ...
//   average  ...
#pragma once

#include <string>

#include "json_text.h"
#include "validate/require.h"

namespace kerncast::app {

std::string validation_text(const Report& report, const std::vector<Verdict>& verdicts);
Json validation_json(const Report& report, const std::vector<Verdict>& verdicts);
std::string validation_csv(const Report& report);
// All tables and notes as a document in Markdown.
std::string validation_markdown(const Report& report, const std::vector<Verdict>& verdicts);

// Tables 8 and 10 to 12 of 003, of the comparisons that are occupancy curves; "" if there are none.
std::string curve_tables(const Report& report);

} // namespace kerncast::app
