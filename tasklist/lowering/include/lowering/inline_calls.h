// Calls to functions of the module become part of the kernel.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ptx_parser/module.h"
#include "support/diagnostics.h"

namespace kerncast::lowering {

// A kernel without calls but those of the driver's functions (printf, assert, malloc, free), which stay:
// `call {result}, function, {arguments}` of registers, without a guard. Task::instruction and
// Block::first_instruction of its lowering index `function.instructions`, so slice execution of a kernel with
// calls must walk this function too.
struct InlinedKernel {
  ptx::Function function;
  std::vector<std::uint32_t> call_of;   // by instruction: index into `calls`, ptx::no_id in the kernel itself
  std::vector<std::string_view> calls;  // the function of each call, in the order of the text
  std::vector<std::string> assumptions; // about calls through registers
  // Owns the names made for the callees' variables, which `function` refers to.
  std::shared_ptr<const std::deque<std::string>> names;
};

// Copies the body of every called function in place of the call, with fresh registers, labels and
// variables. Arguments and results are movs of registers, or stay st.param/ld.param on the caller's .param
// variables where these are more than scalars (src/parameter_registers.h). A call through a
// register becomes a brx.idx to copies of all functions of its prototype whose address the module takes
// (FunctionCopy::add_dispatch). Fails with places on recursion, functions without body, and .local variables
// of functions that are called at a time which take more than a thread has.
Expected<InlinedKernel> inline_calls(const ptx::Module& module, const ptx::Function& kernel);

// Whether there are calls to inline, or a brx.idx under a guard, which inlining makes a branch around one
// without.
bool needs_inlining(const ptx::Function& kernel);

} // namespace kerncast::lowering
