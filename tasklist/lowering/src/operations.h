// Full opcodes as written ("ld.global.v4.f32"), each once.
#pragma once

#include <array>

#include "program.h"
#include "tasklist/id_table.h"

namespace kerncast::lowering {

class Operations {
public:
  explicit Operations(Program& program);
  // Index of the instruction's operation in Program::operations, traits and shapes.
  std::uint32_t find(const ptx::Instruction& instruction);

private:
  // What the text is made of.
  struct Words {
    ptx::Opcode opcode{};
    std::span<const ptx::Modifier> modifiers;
    std::string_view name; // of the special register that is moved, or of the function that is called
  };
  struct Recent {
    std::uint64_t key = UINT64_MAX; // opcode and place of the modifiers
    std::uint32_t operation = 0;
  };
  Words words_of(const ptx::Instruction& instruction) const;
  void write_text(const Words& words);
  std::uint32_t find(const Words& words, const ptx::Instruction& instruction);

  Program& program_;
  std::array<Recent, 64> recent_; // by the key's lowest bits
  std::vector<Words> words_;      // by operation
  tasklist::IdTable ids_;
  std::string text_; // of the operation at hand
};

} // namespace kerncast::lowering
