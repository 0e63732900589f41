// The steps of lowering, for those who look at a kernel in between.
#pragma once

#include <optional>

#include "lowering/inline_calls.h"
#include "lowering/lower.h"
#include "program_facts.h"

namespace kerncast::lowering {

// The kernel with its calls inlined; nothing where it has none. Fails as inline_calls, and on .local
// variables that take more than a thread has.
Expected<std::optional<InlinedKernel>> inline_where_needed(const ptx::Module& module,
                                                           const ptx::Function& kernel);

// `kernel` must have no calls. Fails with places on unknown control flow.
Expected<Program> read_program(const ptx::Module& module, const ptx::Function& kernel);

// Blocks, loops and tasks without their dependencies. `facts` are those of the program.
tasklist::Tasklist list_tasks(const ptx::Module& module, Program program, const ProgramFacts& facts,
                              const LowerOptions& options);

// Adds what is left of such a list. `inlined` is what the kernel is part of, null if it has no calls.
void finish_list(const ptx::Module& module, const ptx::Function& kernel, const tasklist::ControlFlow& flow,
                 const InlinedKernel* inlined, tasklist::Tasklist& list);

} // namespace kerncast::lowering
