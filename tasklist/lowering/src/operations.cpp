#include "operations.h"

namespace kerncast::lowering {

std::uint32_t Operations::find(const ptx::Instruction& instruction) {
  // Equal opcodes mostly share their modifiers' place in the pool, which spares building the text.
  const std::uint64_t key = std::uint64_t{instruction.modifiers.begin} << 32 |
                            std::uint64_t{instruction.modifiers.count} << 16 |
                            static_cast<std::uint64_t>(instruction.opcode);
  const auto [entry, inserted] = by_range_.try_emplace(key, 0);
  if (inserted) {
    std::string text(ptx::name(instruction.opcode));
    for (const ptx::Modifier modifier : program_.function->modifiers(instruction)) {
      text += '.';
      text += ptx::name(modifier);
    }
    entry->second = find_text(std::move(text));
  }
  return entry->second;
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
