// Tries the operation families in turn.
#include "select_operation.h"

#include <algorithm>

namespace kerncast::warp {

bool InstructionForm::has(ptx::Modifier m) const {
  return std::find(modifiers.begin(), modifiers.end(), m) != modifiers.end();
}

InstructionForm form_of(const ptx::Function& function, const ptx::Instruction& instruction) {
  InstructionForm form{instruction.opcode, function.modifiers(instruction), {}, 0};
  const std::size_t operands = function.operands(instruction).size();
  form.source_count = operands == 0 ? 0 : static_cast<std::uint32_t>(operands - 1);
  for (const ptx::Modifier m : form.modifiers) {
    const ptx::Type type = ptx::type_of(m);
    if (type != ptx::Type::none && form.type_count < form.types.size())
      form.types[form.type_count++] = type;
  }
  return form;
}

std::optional<Selection> select_operation(const InstructionForm& form) {
  using Family = std::optional<Selection> (*)(const InstructionForm&);
  constexpr Family families[] = {
      select_arithmetic,        select_multiplication,  select_bits,
      select_bit_field,         select_comparison,      select_conversion,
      select_format_conversion, select_float,           select_half,
      select_dot_product,       select_cluster,         select_packed_integers,
      select_float_test,        select_mixed_precision, select_stochastic_conversion};
  for (const Family family : families)
    if (auto selection = family(form))
      return selection;
  return std::nullopt;
}

Pool pool_of(ptx::Type type) {
  if (type == ptx::Type::pred)
    return Pool::predicate;
  switch (ptx::size_bytes(type)) {
  case 1:
  case 2:
  case 4:
    return Pool::word;
  case 8:
    return Pool::longword;
  default:
    return Pool::none;
  }
}

} // namespace kerncast::warp
