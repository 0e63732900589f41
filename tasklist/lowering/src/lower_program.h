// The two halves of lowering, for those who look at a kernel in between.
#pragma once

#include "lowering/inline_calls.h"
#include "lowering/lower.h"
#include "program_facts.h"

namespace kerncast::lowering {

// `kernel` must have no calls. Fails with places on unknown control flow.
Expected<Program> read_program(const ptx::Module& module, const ptx::Function& kernel);

// `facts` are those of the program; `inlined` is what its function is part of, null if it has no calls.
tasklist::Tasklist lower_program(const ptx::Module& module, Program program, const ProgramFacts& facts,
                                 const InlinedKernel* inlined, const LowerOptions& options);

} // namespace kerncast::lowering
