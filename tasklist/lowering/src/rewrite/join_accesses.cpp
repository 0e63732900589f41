#include "rewrite/join_accesses.h"

#include <algorithm>
#include <array>

#include "rewrite/function_rewrite.h"

namespace kerncast::lowering {

namespace {

using ptx::Modifier;
using ptx::Operand;

Modifier type_of_elements(std::uint32_t bytes) {
  return bytes == 2 ? Modifier::b16 : bytes == 4 ? Modifier::b32 : Modifier::b64;
}

ptx::Instruction vector_access(FunctionRewrite& rewrite, const Program& program, const JoinedAccess& joined) {
  const ptx::Function& old = rewrite.old();
  const bool loads = old.instructions[joined.at].opcode == ptx::Opcode::ld;
  Operand address = old.operands(old.instructions[joined.at])[loads ? 1 : 0];
  address.value = joined.offset;
  Operand data;
  data.kind = ptx::OperandKind::vector;
  data.set_elements(rewrite.add_operands(joined.elements));
  const auto& traits = program.traits_of(program.ops[joined.at]);
  ptx::Instruction made = old.instructions[joined.at];
  made.operands = rewrite.add_operands(loads ? std::array{data, address} : std::array{address, data});
  made.modifiers = rewrite.add_modifiers(
      {traits.space == tasklist::Space::shared ? Modifier::shared : Modifier::local,
       joined.elements.size() == 4 ? Modifier::v4 : Modifier::v2, type_of_elements(joined.element_bytes)});
  return made;
}

} // namespace

InlinedKernel join_accesses(const InlinedKernel* inlined, const Program& program,
                            std::span<const JoinedAccess> joined) {
  FunctionRewrite rewrite(*program.function, inlined);
  std::vector<bool> is_gone(program.ops.size(), false);
  for (const JoinedAccess& access : joined)
    for (const std::uint32_t op : access.ops)
      is_gone[op] = true;
  auto next = joined.begin();
  for (std::uint32_t op = 0, count = program.op_count(); op < count; ++op) {
    if (!is_gone[op]) {
      rewrite.keep(op);
      continue;
    }
    rewrite.stand_for(op);
    if (next != joined.end() && next->at == op)
      rewrite.add(vector_access(rewrite, program, *next++), op);
  }
  return std::move(rewrite).finish();
}

} // namespace kerncast::lowering
