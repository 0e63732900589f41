// stacksave, stackrestore and alloca.
#pragma once

#include <optional>

#include "slots.h"
#include "warp/stack_op.h"

namespace kerncast::warp {

bool is_stack_operation(ptx::Opcode opcode);
// Empty for forms that are not supported.
std::optional<StackOp> decode_stack_operation(const ptx::Function& kernel,
                                              const ptx::Instruction& instruction, SlotTable& slots);

} // namespace kerncast::warp
