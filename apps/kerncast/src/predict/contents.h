// What launches do that depends on data, where the contents of buffers are given: functional execution of the
// application up to the last such launch records their branches and addresses.
#pragma once

#include "input.h"
#include "options.h"

namespace kerncast::app {

// Fills LaunchJob::behaviour of launches whose kernels' branches or addresses depend on data. Such a launch
// that happens several times becomes one job each time, since the data may have changed in between. Nothing
// where no contents are given, or where facts about branches and loops are; what stops the execution is named
// in LaunchJob::assumptions.
void use_contents(PredictInput& input, const PredictOptions& options);

} // namespace kerncast::app
