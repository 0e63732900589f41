// Builds a changed copy of a kernel without calls, instruction by instruction, in the order of the text.
// Labels, pragmas, source lines and the calls that instructions came from move along.
#pragma once

#include <initializer_list>
#include <vector>

#include "lowering/inline_calls.h"

namespace kerncast::lowering {

class FunctionRewrite {
public:
  // `inlined` is what the function is part of, null if it has no calls.
  FunctionRewrite(const ptx::Function& function, const InlinedKernel* inlined);

  const ptx::Function& old() const { return old_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(out_.function.instructions.size()); }
  // The next instruction to be written takes the place of this one of the old kernel: its labels come here.
  void stand_for(std::uint32_t old_instruction);
  // As it is in the old kernel.
  void keep(std::uint32_t old_instruction);
  // In place of that old instruction, with its line.
  void add(const ptx::Instruction& instruction, std::uint32_t in_place_of);

  ptx::RegisterId new_register(ptx::RegisterId like);
  ptx::RegisterId new_register(ptx::Type type, Place place);
  // A label like that of the old kernel, here.
  ptx::LabelId new_label(ptx::LabelId like);
  void place_label(ptx::LabelId label);

  ptx::Range add_operands(std::span<const ptx::Operand> operands);
  ptx::Range add_modifiers(std::initializer_list<ptx::Modifier> modifiers);
  std::span<const ptx::Operand> operands(ptx::Range range) const;
  void forget_variable(std::string_view name);

  InlinedKernel finish() &&;

private:
  const ptx::Function& old_;
  const InlinedKernel* inlined_;
  InlinedKernel out_;
  std::vector<std::uint32_t> new_place_; // by old instruction
};

} // namespace kerncast::lowering
