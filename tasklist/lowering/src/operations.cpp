#include "operations.h"

namespace kerncast::lowering {

namespace {

// A move from a special register is an operation of its own in the machine: "mov.u32.special.tid.x".
std::string_view special_source(const ptx::Function& function, const ptx::Instruction& instruction) {
  if (instruction.opcode != ptx::Opcode::mov) {
    return {};
  }
  const auto operands = function.operands(instruction);
  const bool is_special = operands.size() == 2 && operands[1].kind == ptx::OperandKind::special;
  return is_special ? operands[1].name.substr(1) : std::string_view{};
}

// The driver's functions cost what their names say: "call.vprintf".
std::string_view called_function(const ptx::Function& function, const ptx::Instruction& instruction) {
  return instruction.opcode == ptx::Opcode::call ? function.operands(instruction)[1].name
                                                 : std::string_view{};
}

} // namespace

std::uint32_t Operations::find(const ptx::Instruction& instruction) {
  if (const std::string_view special = special_source(*program_.function, instruction); !special.empty()) {
    write_text(instruction);
    text_ += ".special.";
    text_ += special;
    return find_text(instruction);
  }
  if (const std::string_view called = called_function(*program_.function, instruction); !called.empty()) {
    text_ = "call.";
    text_ += called;
    return find_text(instruction);
  }
  // Equal opcodes mostly share their modifiers' place in the pool, which spares writing the text.
  const std::uint64_t key = std::uint64_t{instruction.modifiers.begin} << 32 |
                            std::uint64_t{instruction.modifiers.count} << 16 |
                            static_cast<std::uint64_t>(instruction.opcode);
  Recent& recent = recent_[(instruction.modifiers.begin ^ 7 * static_cast<std::size_t>(instruction.opcode)) %
                           recent_.size()];
  if (recent.key != key) {
    write_text(instruction);
    recent = {key, find_text(instruction)};
  }
  return recent.operation;
}

void Operations::write_text(const ptx::Instruction& instruction) {
  text_ = ptx::name(instruction.opcode);
  for (const ptx::Modifier modifier : program_.function->modifiers(instruction)) {
    text_ += '.';
    text_ += ptx::name(modifier);
  }
}

std::uint32_t Operations::find_text(const ptx::Instruction& instruction) {
  const std::uint32_t found = by_text_.find_or_add(text_, program_.operations);
  if (found == program_.traits.size()) {
    program_.traits.push_back(tasklist::traits_of(text_));
    program_.shapes.push_back(operation_shape(*program_.function, instruction, text_));
  }
  return found;
}

} // namespace kerncast::lowering
