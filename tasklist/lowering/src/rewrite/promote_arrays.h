// Local arrays in registers: an access at a known place is a move, one at a place out of few compares the
// address with each of them and moves under the predicates.
#pragma once

#include <span>

#include "lowering/inline_calls.h"
#include "rewrite/local_arrays.h"

namespace kerncast::lowering {

// `program` is that of the kernel's function as written.
InlinedKernel promote_arrays(const InlinedKernel* inlined, const Program& program,
                             std::span<const LocalArray> arrays);

} // namespace kerncast::lowering
