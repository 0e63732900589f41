// Which keys of a GPU change with others that a sweep changes.
#pragma once

#include <set>
#include <string>

#include "sweep/plan.h"

namespace kerncast::sweep {

struct Following {
  std::set<std::string> keys;           // of what some point does not set itself
  std::set<std::string> of_expressions; // those that change with a key that is an expression
};

// By trying: axes at their first and last values, expressions at what they are there, uncertain keys at their
// errors. Values that are impossible by themselves say nothing. Of the plan its bases are used.
Following find_following(const SweepFile& sweep, const Plan& plan);

} // namespace kerncast::sweep
