// The functions that a call instruction may call.
#pragma once

#include <span>

#include "ptx_parser/addressed_functions.h"
#include "support/diagnostics.h"

namespace kerncast::lowering {

// Whether the call is of a register's value.
bool is_indirect(const ptx::Function& caller, const ptx::Instruction& call);

// The function that a direct call names, which takes the call's arguments one to one. It has a body, or is
// one of the driver's (system_call.h). Fails with the call's place, the function's name and what to do.
Expected<const ptx::Function*> find_callee(const ptx::Module& module, const ptx::Function& caller,
                                           const ptx::Instruction& call);

// Of all functions whose address the module takes those that an indirect call may reach: those of its
// prototype, or of the targets that it lists.
struct Candidates {
  std::string_view first;                      // a name of the first one
  std::vector<const ptx::Function*> functions; // null: one of the same shape that is not listed
};
// All have bodies. Fails where there are none, or where listed ones take other parameters than each other.
Expected<Candidates> find_candidates(const ptx::Module& module,
                                     std::span<const ptx::AddressedFunction> addressed,
                                     const ptx::Function& caller, const ptx::Instruction& call);

} // namespace kerncast::lowering
