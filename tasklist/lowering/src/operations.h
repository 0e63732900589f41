// Full opcodes as written ("ld.global.v4.f32"), each once.
#pragma once

#include <array>

#include "program.h"
#include "tasklist/text_index.h"

namespace kerncast::lowering {

class Operations {
public:
  explicit Operations(Program& program) : program_(program) {}
  // Index of the instruction's operation in Program::operations and Program::traits.
  std::uint32_t find(const ptx::Instruction& instruction);

private:
  struct Recent {
    std::uint64_t key = UINT64_MAX; // opcode and place of the modifiers
    std::uint32_t operation = 0;
  };
  void write_text(const ptx::Instruction& instruction);
  std::uint32_t find_text(const ptx::Instruction& instruction);

  Program& program_;
  std::array<Recent, 256> recent_; // by the key's lowest bits
  tasklist::TextIndex by_text_;
  std::string text_;
};

} // namespace kerncast::lowering
