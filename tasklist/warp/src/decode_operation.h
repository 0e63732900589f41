// Turns one instruction of the slice into operations over lanes.
#pragma once

#include "select_operation.h"
#include "slots.h"

namespace kerncast::warp {

class OperationDecoder {
public:
  OperationDecoder(const ptx::Function& kernel, const RegisterFlow& flow, SlotTable& slots, Program& program)
      : kernel_(kernel), flow_(flow), slots_(slots), program_(program) {}

  // Gives names of constants to registers that are written once, with a constant. Before any decode().
  void alias_constants();
  // Appends the operations of an instruction whose results are in the slice, to ops and steps.
  void decode(std::uint32_t instruction);

private:
  bool decode_parameter_load(const ptx::Instruction& instruction);
  bool decode_parts(const ptx::Instruction& instruction);
  bool decode_pack(const ptx::Instruction& instruction);
  bool decode_unpack(const ptx::Instruction& instruction);
  bool decode_selected(const ptx::Instruction& instruction);
  std::optional<MicroOp> bind_sources(const Selection& selection, const ptx::Instruction& instruction);
  bool append_predicate_pair(MicroOp op, const ptx::Instruction& instruction);
  void append_copy(SlotId to, SlotId from, const ptx::Instruction& instruction);
  void append(MicroOp op, const ptx::Instruction& instruction);
  void forget(const ptx::Instruction& instruction);
  std::optional<SlotId> constant_of(const ptx::Instruction& instruction);
  std::optional<SlotId> destination(const ptx::Operand& operand, ptx::Type type) const;

  const ptx::Function& kernel_;
  const RegisterFlow& flow_;
  SlotTable& slots_;
  Program& program_;
};

} // namespace kerncast::warp
