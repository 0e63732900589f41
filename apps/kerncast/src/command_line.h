// From the words of the command line to a command's outcome.
#pragma once

#include <string>
#include <vector>

#include "command.h"

namespace kerncast::app {

// `words`: the command line without the program's name.
Outcome run_command_line(std::vector<std::string> words, const Session& session);

} // namespace kerncast::app
