// The function that a call instruction calls.
#pragma once

#include "ptx_parser/module.h"
#include "support/diagnostics.h"

namespace kerncast::lowering {

// A function that takes the call's arguments one to one. It has a body, or is one of the driver's
// (system_call.h). Fails with the call's place, the function's name and what to do.
Expected<const ptx::Function*> find_callee(const ptx::Module& module, const ptx::Function& caller,
                                           const ptx::Instruction& call);

} // namespace kerncast::lowering
