// What the names in expressions of a sweep file stand for: keys of the GPU, derived values, results.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/plan.h"

namespace kerncast::sweep {

// Every name of every expression exists, and no derived value depends on itself. `results`: names that
// objectives may use beside keys and derived values.
Expected<void> check_names(const SweepFile& sweep, const Plan& plan, const std::set<std::string>& results);

// Keys of the GPU that the expressions depend on, through derived values too.
std::set<std::string> keys_used(const SweepFile& sweep, const std::vector<const Expression*>& expressions);

// The value of an expression; `number_of` knows keys and results, derived values are computed here. NaN where
// a name has no number (a text).
double value_of(const SweepFile& sweep, const Expression& expression, const NumberOf& number_of);

} // namespace kerncast::sweep
