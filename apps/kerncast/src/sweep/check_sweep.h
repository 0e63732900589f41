// A sweep file with its GPUs and applications, without running it.
#pragma once

#include <string>

#include "configs/loader.h"
#include "support/diagnostics.h"

namespace kerncast::app {

// "sweep NAME: 11 applications on 2 GPUs, 3 axes, 100 points, 1100 rows".
Expected<std::string> check_sweep(SourceText source, const configs::ConfigPath& path, std::size_t threads);

} // namespace kerncast::app
