// The ISA table of one GPU: units as numbers, latencies filled in from the GPU's units.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "configs/gpu.h"
#include "configs/isa.h"
#include "statements.h"

namespace kerncast::configs {

// Table of gpu.architecture, looked for in `folders`; null after an error.
std::shared_ptr<const IsaTable> load_isa(const Gpu& gpu, const Statements& statements,
                                         const std::vector<std::filesystem::path>& folders,
                                         Diagnostics& errors);

} // namespace kerncast::configs
