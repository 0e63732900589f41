// Which registers decide branches and addresses (the slice), and which of them may hold loaded data.
//
// Flow-insensitive: a register is in the slice if any of its definitions could reach such a use. PTX
// registers are nearly single-assignment, so little is lost.
#pragma once

#include <vector>

#include "ptx_parser/module.h"
#include "tasklist/tasklist.h"
#include "warp/decode.h"

namespace kerncast::warp {

// Predicate registers behind those that a kernel names: CC.CF, and the flag's next value while an operation
// still reads this one.
inline constexpr std::uint32_t hidden_registers = 2;
inline ptx::RegisterId carry_flag(const ptx::Function& kernel) {
  return static_cast<ptx::RegisterId>(kernel.registers.size());
}
inline ptx::RegisterId next_carry_flag(const ptx::Function& kernel) { return carry_flag(kernel) + 1; }

// Registers an instruction writes and reads. The guard and the carry flag are among them.
struct RegisterUse {
  std::vector<ptx::RegisterId> writes;
  std::vector<ptx::RegisterId> reads;
};
RegisterUse registers_of(const ptx::Function& function, const ptx::Instruction& instruction);

struct RegisterFlow {
  std::vector<std::uint32_t> definition_count; // by register
  std::vector<bool> in_slice;                  // by register
  bool slice_depends_on_loads = false;         // some branch, guard or address
  bool slice_depends_on_buffers = false;       // and not on shared, local or parameter memory alone
  bool has_texels = false;                     // accesses of textures or surfaces
  bool texels_depend_on_buffers = false;       // their coordinates
  std::vector<bool> depends_on_loads;          // by register: may hold data that slice execution cannot know
};

// A load from the kernel's parameters, whose value is known.
bool is_parameter_load(const ptx::Function& kernel, const ptx::Instruction& instruction);

// Whether slice execution computes the results of an instruction; else they are unknown.
bool is_computed(const ptx::Function& kernel, const ptx::Instruction& instruction);

// With Scope::everything all registers are in the slice.
RegisterFlow analyse_registers(const ptx::Function& kernel, const tasklist::Tasklist& list, Scope scope);

// Operand that addresses memory in the task's state space (cp.async has two); null if there is none.
const ptx::Operand* address_operand(const ptx::Function& kernel, const ptx::Instruction& instruction,
                                    const tasklist::Task& task);

} // namespace kerncast::warp
