// Registers in place of the .param variables that pass scalars to and from inlined functions, so that
// whoever follows registers follows arguments and results.
#pragma once

#include <deque>
#include <string>

#include "ptx_parser/module.h"

namespace kerncast::lowering {

// Each st.param and ld.param of a scalar becomes a mov. `names` owns the new registers' names. Left as they
// are: pieces of a variable (ParamCells) that are accessed in parts, as vectors, or from and to registers
// that are wider or narrower, and variables whose address is taken.
void put_parameters_in_registers(ptx::Function& function, std::deque<std::string>& names);

} // namespace kerncast::lowering
