// Registers in place of the .param variables that pass scalars to and from inlined functions, so that
// whoever follows registers follows arguments and results.
#pragma once

#include <deque>
#include <string>

#include "ptx_parser/module.h"

namespace kerncast::lowering {

// Each st.param and ld.param of such a variable becomes a mov. `names` owns the new registers' names. Left
// as they are: variables that are accessed in pieces of other sizes, as vectors or through an address, and
// those whose registers are wider or narrower than what they hold.
void put_parameters_in_registers(ptx::Function& function, std::deque<std::string>& names);

} // namespace kerncast::lowering
