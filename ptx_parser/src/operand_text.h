// How messages name what an operand should be and what it is.
#pragma once

#include <string>

#include "syntax_table.h"

namespace kerncast::ptx {

// "a destination register of type .u32"
std::string wanted(const OperandForm& form);
// "%r1 of type .f32"
std::string found(const Function& function, const Operand& operand);

} // namespace kerncast::ptx
