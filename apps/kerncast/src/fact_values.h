// --branch LINE=P, --loop LINE=N, --addresses LINE=SPREAD, --buffer-addresses ARGUMENT=SPREAD: what the user
// knows of branches and accesses that depend on data.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "application/application.h"
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

// ARGUMENT=SPREAD: of the buffers that arguments have, by their names; numbered as they come.
std::map<std::uint32_t, tasklist::AddressFact>
parse_buffer_facts(const std::vector<std::string>& words, const std::vector<application::Buffer>& buffers,
                   OptionValues& values);

} // namespace kerncast::app
