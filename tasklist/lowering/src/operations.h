// Full opcodes as written ("ld.global.v4.f32"), each once.
#pragma once

#include <unordered_map>

#include "program.h"

namespace kerncast::lowering {

class Operations {
public:
  explicit Operations(Program& program) : program_(program) {}
  // Index of the instruction's operation in Program::operations and Program::traits.
  std::uint32_t find(const ptx::Instruction& instruction);

private:
  std::string text_of(const ptx::Instruction& instruction) const;
  std::uint32_t find_text(std::string text);

  Program& program_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_range_; // opcode and place of the modifiers
  std::unordered_map<std::string, std::uint32_t> by_text_;
};

} // namespace kerncast::lowering
