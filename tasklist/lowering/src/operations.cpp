#include "operations.h"

namespace kerncast::lowering {

namespace {

// A move from a special register is an operation of its own in the machine: "mov.u32.special.tid.x".
std::string_view special_source(const ptx::Function& function, const ptx::Instruction& instruction) {
  const auto operands = function.operands(instruction);
  const bool is_special = instruction.opcode == ptx::Opcode::mov && operands.size() == 2 &&
                          operands[1].kind == ptx::OperandKind::special;
  return is_special ? operands[1].name.substr(1) : std::string_view{};
}

} // namespace

std::uint32_t Operations::find(const ptx::Instruction& instruction) {
  if (const std::string_view special = special_source(*program_.function, instruction); !special.empty()) {
    return find_text(text_of(instruction) + ".special." + std::string(special));
  }
  // Equal opcodes mostly share their modifiers' place in the pool, which spares building the text.
  const std::uint64_t key = std::uint64_t{instruction.modifiers.begin} << 32 |
                            std::uint64_t{instruction.modifiers.count} << 16 |
                            static_cast<std::uint64_t>(instruction.opcode);
  const auto [entry, inserted] = by_range_.try_emplace(key, 0);
  if (inserted) {
    entry->second = find_text(text_of(instruction));
  }
  return entry->second;
}

std::string Operations::text_of(const ptx::Instruction& instruction) const {
  std::string text(ptx::name(instruction.opcode));
  for (const ptx::Modifier modifier : program_.function->modifiers(instruction)) {
    text += '.';
    text += ptx::name(modifier);
  }
  return text;
}

std::uint32_t Operations::find_text(std::string text) {
  const auto [entry, inserted] =
      by_text_.try_emplace(std::move(text), static_cast<std::uint32_t>(program_.operations.size()));
  if (inserted) {
    program_.operations.push_back(entry->first);
    program_.traits.push_back(tasklist::traits_of(entry->first));
  }
  return entry->second;
}

} // namespace kerncast::lowering
