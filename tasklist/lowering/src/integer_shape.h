// Types of an integer instruction, and whether its modifiers change more than the result's width.
#pragma once

#include "ptx_parser/module.h"

namespace kerncast::lowering {

struct IntegerShape {
  ptx::Type to = ptx::Type::none, from = ptx::Type::none;
  bool is_wide = false;
  bool is_plain = true; // false: floating point, carries, high halves, saturation
};

IntegerShape integer_shape(const ptx::Function& function, const ptx::Instruction& instruction);

} // namespace kerncast::lowering
