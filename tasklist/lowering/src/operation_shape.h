// What opcode and modifiers tell the passes: found once per operation, not for every instruction.
#pragma once

#include "ptx_parser/module.h"

namespace kerncast::lowering {

struct OperationShape {
  ptx::Opcode opcode{};
  ptx::Type to = ptx::Type::none, from = ptx::Type::none; // of integer instructions
  bool is_wide = false;
  bool is_plain = true;         // false: floating point, carries, high halves, saturation
  bool rounds_integers = false; // cvt from an integer to a float
  bool is_evaluated = false;    // what of it is done on known operands
  bool is_linear = false;       // may be a sum of registers times constants (linear_sum.h)
  bool is_copy = false;         // hands a register of equal width on: mov, cvta, cvt between integers
  bool is_shared = false;       // not done twice: integer arithmetic, conversions, S2R
  bool moves_constants = false; // mov, cvta
  bool reads_carry = false, writes_carry = false; // addc, subc, madc; .cc
  bool reads_result = false;                      // accumulators are its first operand (PTX ISA 9.7.15)
  bool has_two_results = false; // tcgen05.ld.red: the loaded values and their minimum or maximum
};

OperationShape operation_shape(const ptx::Function& function, const ptx::Instruction& instruction);

} // namespace kerncast::lowering
