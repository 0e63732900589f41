// What the microbenchmarks found.
#pragma once

#include <string>

#include "configs/gpu.h"
#include "microbench/finding.h"
#include "views/json_text.h"

namespace kerncast::app {

std::string microbench_table(const configs::Gpu& gpu, const Findings& findings);
Json microbench_json(const configs::Gpu& gpu, const Findings& findings);

} // namespace kerncast::app
