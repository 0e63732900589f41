// --branch LINE=P, --loop LINE=N, --addresses LINE=SPREAD: what the user knows of branches and accesses that
// depend on data.
#pragma once

#include <string>
#include <vector>

#include "option_values.h"
#include "tasklist/launch.h"

namespace kerncast::app {

struct FactWords {
  const std::vector<std::string>& branches;
  const std::vector<std::string>& loops;
  const std::vector<std::string>& addresses;
};

// Every text that is wrong is an error of its own in `values`.
tasklist::ControlFacts parse_facts(const FactWords& words, OptionValues& values);

} // namespace kerncast::app
