// Contradictions within one description.
#pragma once

#include "statements.h"

namespace kerncast::configs {

// Every contradiction names the two statements. What only a study may state becomes an assumption of it.
void check_gpu(Gpu& gpu, const Statements& statements, Diagnostics& errors);

} // namespace kerncast::configs
