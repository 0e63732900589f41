#include "register_use.h"

#include <algorithm>

#include "carries.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;

// Instructions whose first operand is read, not written.
bool has_no_result(const ptx::Function& function, const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
  case Opcode::st:
  case Opcode::red:
  case Opcode::bra:
  case Opcode::brx:
  case Opcode::ret:
  case Opcode::exit:
  case Opcode::trap:
  case Opcode::brkpt:
  case Opcode::membar:
  case Opcode::fence:
  case Opcode::prefetch:
  case Opcode::prefetchu:
  case Opcode::discard:
  case Opcode::applypriority:
  case Opcode::cp:
  case Opcode::nanosleep:
  case Opcode::pmevent:
  case Opcode::setmaxnreg:
  case Opcode::griddepcontrol:
  case Opcode::sust:
  case Opcode::sured:
  case Opcode::stmatrix:
  case Opcode::stackrestore:
    return true;
  case Opcode::bar:
  case Opcode::barrier: // bar.red returns a value, the others only name the barrier
    return !function.has(instruction, Modifier::red);
  case Opcode::tcgen05: // dealloc reads an address
    return !function.has(instruction, Modifier::ld);
  default:
    return false;
  }
}

// Operands that are written, the first ones.
std::uint32_t result_count(const ptx::Function& function, const ptx::Instruction& instruction) {
  if (has_no_result(function, instruction))
    return 0;
  return instruction.opcode == Opcode::tcgen05 && function.has(instruction, Modifier::red) ? 2 : 1;
}

} // namespace

void collect_registers(const ptx::Function& function, const Operand& operand,
                       std::vector<ptx::RegisterId>& out) {
  if (operand.kind == OperandKind::vector || operand.kind == OperandKind::destination_pair) {
    for (const Operand& element : function.elements(operand))
      collect_registers(function, element, out);
    return;
  }
  if ((operand.kind == OperandKind::reg || operand.kind == OperandKind::address) && operand.id != ptx::no_id)
    out.push_back(operand.id);
}

RegisterUse registers_of(const ptx::Function& function, const ptx::Instruction& instruction) {
  RegisterUse use;
  if (instruction.guard != ptx::no_id)
    use.reads.push_back(instruction.guard);
  const auto operands = function.operands(instruction);
  std::uint32_t results = result_count(function, instruction); // left to come
  for (const Operand& operand : operands) {
    const bool is_destination = results > 0 && operand.kind != OperandKind::address;
    collect_registers(function, operand, is_destination ? use.writes : use.reads);
    results = is_destination ? results - 1 : 0;
  }
  if (const auto carry = select_carry(form_of(function, instruction))) {
    if (carry->carries_in)
      use.reads.push_back(carry_flag(function));
    if (carry->carries_out)
      use.writes.push_back(carry_flag(function));
  }
  return use;
}

Definitions definitions_of(const ptx::Function& kernel) {
  Definitions d;
  d.of.resize(kernel.registers.size() + hidden_registers);
  d.reads.resize(kernel.registers.size() + hidden_registers);
  d.uses.reserve(kernel.instructions.size());
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    d.uses.push_back(registers_of(kernel, kernel.instructions[i]));
    for (const auto r : d.uses.back().writes)
      d.of[r].push_back(i);
    for (const auto r : d.uses.back().reads)
      d.reads[r].push_back(i);
  }
  return d;
}

} // namespace kerncast::warp
