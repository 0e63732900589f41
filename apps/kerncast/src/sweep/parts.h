// A sweep without its applications: what its file says, and the points that follow.
#pragma once

#include <string>
#include <vector>

#include "configs/loader.h"
#include "sweep/plan.h"
#include "sweep/sweep_file.h"

namespace kerncast::app {

struct SweepParts {
  sweep::SweepFile file;
  sweep::Plan plan;
};

// Every error of the file and its GPUs.
Expected<SweepParts> read_parts(SourceText source, const configs::ConfigPath& path);

// That the expressions use nothing but keys, derived values and results of these applications.
Expected<void> check_expressions(const SweepParts& parts, const std::vector<std::string>& apps);

} // namespace kerncast::app
