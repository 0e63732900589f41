// The command `sweep`, which lies in a library of its own.
#pragma once

#include "command.h"

namespace kerncast::app {

Run add_sweep(CLI::App& command);

} // namespace kerncast::app
