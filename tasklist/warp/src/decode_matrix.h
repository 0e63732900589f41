// Turns mma, wmma, movmatrix, ldmatrix and stmatrix into matrix operations and accesses.
#pragma once

#include "slots.h"
#include "warp/matrix_op.h"

namespace kerncast::warp {

class MatrixDecoder {
public:
  MatrixDecoder(const ptx::Function& kernel, SlotTable& slots, Program& program)
      : kernel_(kernel), slots_(slots), program_(program) {}

  // Whether an instruction is one of these; it may still not be known.
  static bool is_matrix(ptx::Opcode opcode);
  // Empty for forms that are not supported.
  std::optional<Step> decode(const ptx::Instruction& instruction);

private:
  std::optional<MatrixOp> decode_multiply(const ptx::Instruction& instruction);
  std::optional<MatrixOp> decode_transpose(const ptx::Instruction& instruction);
  std::optional<MatrixAccess> decode_rows(const ptx::Instruction& instruction);
  std::optional<MatrixAccess> decode_fragment_access(const ptx::Instruction& instruction);
  bool bind_sparsity(std::uint32_t lanes, const ptx::Operand& metadata, const ptx::Operand& selector,
                     MatrixOp& op);
  bool bind_fragments(std::span<const ptx::Operand> operands, MatrixOp& op);
  bool bind_registers(const ptx::Operand& operand, Fragment& fragment);

  const ptx::Function& kernel_;
  SlotTable& slots_;
  Program& program_;
};

} // namespace kerncast::warp
