// A kernel as a compiler arranges it before it chooses instructions: loops of few trips are gone, and local
// arrays lie in registers. What is executed and annotated is this kernel, not the one that was written.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "lowering/inline_calls.h"
#include "lowering/lower.h"

namespace kerncast::lowering {

struct CompiledKernel {
  // Task::instruction of `list` indexes its instructions; null: the kernel as written.
  std::shared_ptr<const InlinedKernel> rewritten;
  tasklist::Tasklist list;
};

// As lower(), of the kernel with its calls inlined and rewritten as the options say. Without clean-up, and of
// modules compiled for a debugger, nothing is rewritten.
Expected<CompiledKernel> lower_compiled(const ptx::Module& module, const ptx::Function& kernel,
                                        const LowerOptions& options = {});

} // namespace kerncast::lowering
