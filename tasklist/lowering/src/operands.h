// Which values each instruction writes and reads: through destinations, operands, address registers,
// guards, vector elements, d|p pairs, the carry flag and call parameters.
#pragma once

#include "program.h"

namespace kerncast::lowering {

// Fills ops, operations, values and pools; blocks stay empty. `function` must have no calls.
Program read_operands(const ptx::Function& function);

} // namespace kerncast::lowering
