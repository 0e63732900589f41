// The input file of predict, whatever kind it is, as launches.
#pragma once

#include "input.h"
#include "options.h"

namespace kerncast::app {

// An application file, PTX, or a tasklist.
Expected<PredictInput> read_input(SourceText source, const PredictOptions& options);

} // namespace kerncast::app
