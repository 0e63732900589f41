// The function that a call instruction calls.
#pragma once

#include "ptx_parser/module.h"
#include "support/diagnostics.h"

namespace kerncast::lowering {

// A function with a body that takes the call's arguments one to one. Fails with the call's place, the
// function's name and what to do.
Expected<const ptx::Function*> find_callee(const ptx::Module& module, const ptx::Function& caller,
                                           const ptx::Instruction& call);

} // namespace kerncast::lowering
