// Contradictions within one description.
#pragma once

#include "statements.h"

namespace kerncast::configs {

// Every contradiction names the two statements.
void check_gpu(const Gpu& gpu, const Statements& statements, Diagnostics& errors);

} // namespace kerncast::configs
