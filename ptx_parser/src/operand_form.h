// Reads the operands of a row of syntax/*.inc; the notation is explained in syntax_table.h. A mistake in a
// row is ours: an assert.
#pragma once

#include <string_view>
#include <vector>

#include "syntax_table.h"

namespace kerncast::ptx {

// "d, [a, c] {, e:b64}"
std::vector<OperandForm> read_operand_forms(std::string_view text);

} // namespace kerncast::ptx
