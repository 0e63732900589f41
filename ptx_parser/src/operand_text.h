// How messages name what an operand should be and what it is.
#pragma once

#include <string>

#include "syntax_table.h"

namespace kerncast::ptx {

// "a destination register of type .u32"
std::string wanted(const OperandForm& form);
// "%r1 of type .f32", the operand of an instruction
std::string found(const Function& function, Opcode opcode, const Operand& operand);

} // namespace kerncast::ptx
