// What launches do that depends on data. Where the contents of buffers are given, functional execution of the
// application up to the last launch that depends on them records its branches and addresses; launches that
// depend on shared memory or the parameters of calls only are recorded one by one, whatever the buffers hold.
#pragma once

#include "input.h"
#include "options.h"

namespace kerncast::app {

// Fills LaunchJob::behaviour of launches whose kernels' branches or addresses depend on data. A launch that
// depends on buffers and happens several times becomes one job each time, since the data may have changed in
// between. Nothing where facts about branches and loops are given; what stops the execution is named in
// LaunchJob::assumptions.
void use_contents(PredictInput& input, const PredictOptions& options);

} // namespace kerncast::app
