// Residency limits against those of the compute capability that a description names.
#pragma once

#include "statements.h"

namespace kerncast::configs {

// `rules`: the statements of base/cc-X.Y.toml. No limit may be above its own, unless --set says so: what a
// compute capability allows is a fact of real hardware, and a study may leave it.
void check_capability(const Gpu& gpu, const Statements& statements, const Statements& rules,
                      Diagnostics& errors);

} // namespace kerncast::configs
