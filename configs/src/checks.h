// Contradictions within one description.
#pragma once

#include "statements.h"

namespace kerncast::configs {

// Every contradiction names the two statements.
void check_gpu(const Gpu& gpu, const Statements& statements, Diagnostics& errors);

// A study may make DRAM faster than L2 with --set; a prediction names it.
void note_thin_l2(Gpu& gpu, const Statements& statements);

} // namespace kerncast::configs
