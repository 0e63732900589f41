#include "integer_shape.h"

namespace kerncast::lowering {

IntegerShape integer_shape(const ptx::Function& function, const ptx::Instruction& instruction) {
  IntegerShape shape;
  for (const ptx::Modifier modifier : function.modifiers(instruction)) {
    const ptx::Type type = ptx::type_of(modifier);
    if (type == ptx::Type::none) {
      shape.is_wide |= modifier == ptx::Modifier::wide;
      const bool names_space = modifier == ptx::Modifier::to || modifier == ptx::Modifier::local;
      shape.is_plain &= modifier == ptx::Modifier::wide || modifier == ptx::Modifier::lo ||
                        (names_space && instruction.opcode == ptx::Opcode::cvta);
      continue;
    }
    shape.to = shape.to == ptx::Type::none ? type : shape.to;
    shape.from = type;
  }
  shape.is_plain &= shape.from != ptx::Type::none && !ptx::is_float(shape.to) && !ptx::is_float(shape.from);
  return shape;
}

} // namespace kerncast::lowering
