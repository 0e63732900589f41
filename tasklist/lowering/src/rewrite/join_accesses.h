// Neighbouring accesses as one vector load or store.
#pragma once

#include <span>

#include "lowering/inline_calls.h"
#include "rewrite/side_by_side.h"

namespace kerncast::lowering {

InlinedKernel join_accesses(const InlinedKernel* inlined, const Program& program,
                            std::span<const JoinedAccess> joined);

} // namespace kerncast::lowering
