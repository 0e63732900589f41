// Full opcodes as written ("ld.global.v4.f32"), each once.
#pragma once

#include <array>

#include "program.h"
#include "tasklist/id_table.h"

namespace kerncast::lowering {

// What an operation's text is made of.
struct OperationWords {
  ptx::Opcode opcode{};
  std::span<const ptx::Modifier> modifiers;
  std::string_view name; // of the special register that is moved, or of the function that is called
};

class Operations {
public:
  explicit Operations(Program& program);
  // Index of the instruction's operation in Program::operations, traits and shapes.
  std::uint32_t find(const ptx::Instruction& instruction) {
    const bool may_have_name =
        instruction.opcode == ptx::Opcode::mov || instruction.opcode == ptx::Opcode::call;
    if (may_have_name && !words_of(instruction).name.empty()) {
      return find_words(instruction);
    }
    // Equal opcodes mostly share their modifiers' place in the pool.
    const std::uint64_t key = std::uint64_t{instruction.modifiers.begin} << 32 |
                              (std::uint64_t{instruction.modifiers.count} + 1) << 16 |
                              static_cast<std::uint64_t>(instruction.opcode);
    Recent& recent =
        recent_[(instruction.modifiers.begin ^ 7 * static_cast<std::size_t>(instruction.opcode)) %
                recent_.size()];
    if (recent.key != key) {
      recent = {key, find_words(instruction)};
    }
    return recent.operation;
  }

private:
  struct Recent {
    std::uint64_t key = 0; // opcode and place of the modifiers; 0: none
    std::uint32_t operation = 0;
  };
  OperationWords words_of(const ptx::Instruction& instruction) const;
  std::uint32_t find_words(const ptx::Instruction& instruction);

  Program& program_;
  std::array<Recent, 256> recent_{};  // by the key's lowest bits
  std::vector<OperationWords> words_; // by operation
  tasklist::IdTable ids_;
};

} // namespace kerncast::lowering
