#include "decode_stack.h"

#include <bit>

#include "select_operation.h"

namespace kerncast::warp {

using ptx::Opcode;

bool is_stack_operation(Opcode opcode) {
  return opcode == Opcode::stacksave || opcode == Opcode::stackrestore || opcode == Opcode::alloca;
}

// stacksave d; stackrestore a; alloca d, size{, alignment}
std::optional<StackOp> decode_stack_operation(const ptx::Function& kernel,
                                              const ptx::Instruction& instruction, SlotTable& slots) {
  const auto operands = kernel.operands(instruction);
  const ptx::Type type = form_of(kernel, instruction).type();
  StackOp op;
  op.kind = instruction.opcode == Opcode::stacksave      ? StackOp::Kind::save
            : instruction.opcode == Opcode::stackrestore ? StackOp::Kind::restore
                                                         : StackOp::Kind::allocate;
  if (op.kind != StackOp::Kind::restore) {
    const auto destination = slots.loaded(operands[0]);
    if (!destination)
      return std::nullopt;
    op.destination = *destination;
  }
  if (op.kind != StackOp::Kind::save) {
    const auto source = slots.source(operands[op.kind == StackOp::Kind::restore ? 0 : 1], type);
    if (!source)
      return std::nullopt;
    op.source = *source;
  }
  if (operands.size() > 2)
    op.alignment = static_cast<std::uint32_t>(operands[2].value);
  return std::has_single_bit(op.alignment) ? std::optional(op) : std::nullopt;
}

} // namespace kerncast::warp
