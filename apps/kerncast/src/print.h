// The last step of the program: files, standard output and diagnostics of the outcome.
#pragma once

#include "outcome.h"

namespace kerncast::app {

// Returns the exit code, which is exit_bad_input if something could not be written.
int print(const Outcome& outcome);

} // namespace kerncast::app
