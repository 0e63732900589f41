// A kernel whose calls were inlined to be executed, lowered with the knowledge of what was a call.
#pragma once

#include "lowering/inline_calls.h"
#include "lowering/lower.h"

namespace kerncast::lowering {

// As lower() of the kernel that `inlined` was made from.
Expected<tasklist::Tasklist> lower_inlined(const ptx::Module& module, const InlinedKernel& inlined,
                                           const LowerOptions& options = {});

} // namespace kerncast::lowering
