// Errors of a kernel's rows with what each stage gives.
#pragma once

#include <string>
#include <vector>

#include "explained.h"
#include "measured_rows.h"

namespace kerncast::app {

// Over the rows that all stages predict; a stage of which neither the mapping nor any row says anything is
// left out. Notes say so, and why rows are left out; they begin with `table`, its name.
Expected<StagesOfKernel> stages_of(const KernelRows& kernel, const std::string& table,
                                   std::vector<std::string>& notes);

} // namespace kerncast::app
