// PTX functions to tasklists.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx_parser/module.h"
#include "support/diagnostics.h"
#include "tasklist/tasklist.h"

namespace kerncast::lowering {

struct LowerOptions {
  // Architecture-independent clean-up: dead code, copies, address folding, parameter loads, common address
  // arithmetic. Off keeps one task per PTX instruction (the papers' form).
  bool clean_up = true;
  // Its parts.
  bool propagate_copies = true;
  bool fold_addresses = true;
  bool fold_constants = true;
  bool share_arithmetic = true;
  bool remove_dead_code = true;
  // Of lower_compiled(): loops of few trips are unrolled completely, small local arrays lie in registers,
  // neighbouring accesses of shared memory are one.
  bool unroll = true;
  bool promote_local = true;
  bool join_accesses = true;
  // Compute capability that the kernel is compiled for: 75, 80, 90. 0: that of the module's .target.
  std::uint32_t target = 0;
};

// The steps that can be left out to see their effect, as --without names them.
std::vector<std::string_view> pass_names();
// False if there is no such step.
bool leave_out(LowerOptions& options, std::string_view name);

// Lowers one kernel. Fails with places for calls that cannot be followed and unknown control flow.
Expected<tasklist::Tasklist> lower(const ptx::Module& module, const ptx::Function& kernel,
                                   const LowerOptions& options = {});

// The kernel to lower: `name` exactly, or the only entry of the module when `name` is empty.
// Fails listing the entries there are.
Expected<const ptx::Function*> select_kernel(const ptx::Module& module, std::string_view name);

} // namespace kerncast::lowering
