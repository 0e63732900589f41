// What a kernel's declarations say: parameters, shared and local memory, launch bounds.
#pragma once

#include "ptx_parser/module.h"
#include "tasklist/tasklist.h"

namespace kerncast::lowering {

// Fills everything of the list that does not depend on its tasks. `kernel` is the function after inlining.
void read_resources(const ptx::Module& module, const ptx::Function& kernel, tasklist::Tasklist& list);

} // namespace kerncast::lowering
