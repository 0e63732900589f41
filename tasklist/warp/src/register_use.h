// Which registers each instruction of a kernel writes and reads.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx_parser/module.h"

namespace kerncast::warp {

// Predicate registers behind those that a kernel names: CC.CF, the flag's next value while an operation still
// reads this one, and the inverses of operands such as !p.
inline constexpr std::uint32_t hidden_registers = 4;
inline ptx::RegisterId carry_flag(const ptx::Function& kernel) {
  return static_cast<ptx::RegisterId>(kernel.registers.size());
}
inline ptx::RegisterId next_carry_flag(const ptx::Function& kernel) { return carry_flag(kernel) + 1; }
// Of an even and of an odd operand.
inline ptx::RegisterId inverted_operand(const ptx::Function& kernel, std::uint32_t operand) {
  return carry_flag(kernel) + 2 + operand % 2;
}

// Registers an instruction writes and reads. The guard and the carry flag are among them.
struct RegisterUse {
  std::vector<ptx::RegisterId> writes;
  std::vector<ptx::RegisterId> reads;
};
RegisterUse registers_of(const ptx::Function& function, const ptx::Instruction& instruction);

// Of all instructions of a kernel.
struct Definitions {
  std::vector<RegisterUse> uses;                 // by instruction
  std::vector<std::vector<std::uint32_t>> of;    // instructions by register written
  std::vector<std::vector<std::uint32_t>> reads; // instructions by register read
};

Definitions definitions_of(const ptx::Function& kernel);

// Registers that an operand names, those of its elements included.
void collect_registers(const ptx::Function& function, const ptx::Operand& operand,
                       std::vector<ptx::RegisterId>& out);

} // namespace kerncast::warp
