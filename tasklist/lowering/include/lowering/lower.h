// PTX functions to tasklists.
#pragma once

#include <string_view>

#include "ptx_parser/module.h"
#include "support/diagnostics.h"
#include "tasklist/tasklist.h"

namespace kerncast::lowering {

struct LowerOptions {
  // Architecture-independent clean-up: dead code, copies, address folding, parameter loads. Off keeps one
  // task per PTX instruction (the papers' form).
  bool clean_up = true;
};

// Lowers one kernel. Fails with places for calls that cannot be followed and unknown control flow.
Expected<tasklist::Tasklist> lower(const ptx::Module& module, const ptx::Function& kernel,
                                   const LowerOptions& options = {});

// The kernel to lower: `name` exactly, or the only entry of the module when `name` is empty.
// Fails listing the entries there are.
Expected<const ptx::Function*> select_kernel(const ptx::Module& module, std::string_view name);

} // namespace kerncast::lowering
