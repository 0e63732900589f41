#include "rewrite/function_rewrite.h"

#include <algorithm>

namespace kerncast::lowering {

FunctionRewrite::FunctionRewrite(const ptx::Function& function, const InlinedKernel* inlined)
    : old_(function), inlined_(inlined), new_place_(function.instructions.size() + 1, 0) {
  out_.function = function;
  out_.function.instructions.clear();
  out_.function.items.clear();
  out_.call_of.reserve(function.instructions.size());
  if (inlined != nullptr) {
    out_.calls = inlined->calls;
    out_.assumptions = inlined->assumptions;
    out_.names = inlined->names;
  }
}

void FunctionRewrite::stand_for(std::uint32_t old_instruction) {
  new_place_[old_instruction] = static_cast<std::uint32_t>(out_.function.instructions.size());
}

void FunctionRewrite::keep(std::uint32_t old_instruction) {
  stand_for(old_instruction);
  add(old().instructions[old_instruction], old_instruction);
}

void FunctionRewrite::add(const ptx::Instruction& instruction, std::uint32_t in_place_of) {
  out_.function.instructions.push_back(instruction);
  ptx::Instruction& added = out_.function.instructions.back();
  added.place = old().instructions[in_place_of].place;
  added.source = old().instructions[in_place_of].source;
  out_.call_of.push_back(inlined_ != nullptr ? inlined_->call_of[in_place_of] : ptx::no_id);
}

ptx::RegisterId FunctionRewrite::new_register(ptx::RegisterId like) {
  out_.function.registers.push_back(old().registers[like]);
  return static_cast<ptx::RegisterId>(out_.function.registers.size() - 1);
}

ptx::RegisterId FunctionRewrite::new_register(ptx::Type type, Place place) {
  ptx::Register made;
  made.type = type;
  made.place = place;
  out_.function.registers.push_back(made);
  return static_cast<ptx::RegisterId>(out_.function.registers.size() - 1);
}

ptx::LabelId FunctionRewrite::new_label(ptx::LabelId like) {
  out_.function.labels.push_back(old().labels[like]);
  return static_cast<ptx::LabelId>(out_.function.labels.size() - 1);
}

void FunctionRewrite::place_label(ptx::LabelId label) {
  out_.function.labels[label].instruction = static_cast<std::uint32_t>(out_.function.instructions.size());
}

ptx::Range FunctionRewrite::add_operands(std::span<const ptx::Operand> operands) {
  auto& pool = out_.function.operand_pool;
  const ptx::Range range{static_cast<std::uint32_t>(pool.size()),
                         static_cast<std::uint32_t>(operands.size())};
  pool.insert(pool.end(), operands.begin(), operands.end());
  return range;
}

ptx::Range FunctionRewrite::add_modifiers(std::initializer_list<ptx::Modifier> modifiers) {
  auto& pool = out_.function.modifier_pool;
  const ptx::Range range{static_cast<std::uint32_t>(pool.size()),
                         static_cast<std::uint32_t>(modifiers.size())};
  pool.insert(pool.end(), modifiers.begin(), modifiers.end());
  return range;
}

std::span<const ptx::Operand> FunctionRewrite::operands(ptx::Range range) const {
  return std::span(out_.function.operand_pool).subspan(range.begin, range.count);
}

void FunctionRewrite::forget_variable(std::string_view name) {
  for (ptx::Variable& variable : out_.function.variables)
    if (variable.name == name)
      variable.elements = 0; // the name stays, for code that computes its address and does nothing with it
}

InlinedKernel FunctionRewrite::finish() && {
  stand_for(static_cast<std::uint32_t>(old().instructions.size()));
  for (std::size_t i = 0; i < old().labels.size(); ++i)
    out_.function.labels[i].instruction = new_place_[old().labels[i].instruction];
  for (ptx::Pragma& pragma : out_.function.pragmas)
    pragma.instruction = new_place_[pragma.instruction];
  return std::move(out_);
}

} // namespace kerncast::lowering
