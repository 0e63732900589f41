// The buffers whose contents decide what launches do and that nothing writes: slices load from them, and
// nothing has to be executed to know them.
#pragma once

#include <vector>

#include "predict/input.h"

namespace kerncast::app {

// Gives contents to those of these jobs, by number, that depend on nothing else that is known, and takes them
// from the list. Buffers whose file cannot be read are left to who executes.
void give_known_contents(PredictInput& input, std::vector<bool>& jobs);

} // namespace kerncast::app
