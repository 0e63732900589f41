// The rows of a kernel that are farthest off, each with the first quantity of the chain that parts.
#pragma once

#include "explained.h"
#include "measured_rows.h"

namespace kerncast::app {

// `count` rows at most. Where a row parts is the first quantity of the chain that is off by more than its
// target; registers only where they are not given. If none is, what parts is the timing. Farthest is the one
// that is off by most of its targets.
WorstOfKernel worst_of(const KernelRows& kernel, std::size_t count);

} // namespace kerncast::app
