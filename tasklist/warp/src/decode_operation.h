// Turns one instruction of the slice into operations over lanes.
#pragma once

#include <functional>

#include "decode_bulk.h"
#include "decode_image.h"
#include "decode_matrix.h"
#include "decode_mbarrier.h"
#include "decode_memory.h"
#include "decode_tensor_memory.h"
#include "exchange.h"
#include "select_operation.h"
#include "slots.h"
#include "warp/decode.h"

namespace kerncast::warp {

class OperationDecoder {
public:
  OperationDecoder(const ptx::Function& kernel, const RegisterFlow& flow, SlotTable& slots, Program& program,
                   Scope scope)
      : kernel_(kernel), flow_(flow), slots_(slots), program_(program), scope_(scope),
        memory_(kernel, slots, program), matrices_(kernel, slots, program),
        mbarriers_(kernel, slots, program), bulks_(kernel, slots, program),
        images_(kernel, slots, program, memory_), tensors_(kernel, slots, program) {}

  // Gives names of constants to registers that are written once, with a constant. Before any decode().
  void alias_constants();
  // Appends the operations of an instruction to ops and steps: with Scope::slice if its results are in it.
  void decode(std::uint32_t instruction);
  // Of a bulk copy, what decides how much it moves and where, with Scope::slice too.
  void decode_bulk(const ptx::Instruction& instruction) { bulks_.decode(instruction); }

private:
  // Of the first byte that a load by a parameter's name reads, in all parameters.
  std::int64_t parameter_offset(const ptx::Instruction& load) const;
  std::string parameter_fault(const ptx::Instruction& load) const;
  bool decode_outside_parameters(const ptx::Instruction& instruction);
  bool decode_parameter_load(const ptx::Instruction& instruction);
  bool decode_parts(const ptx::Instruction& instruction);
  bool decode_pack(const ptx::Instruction& instruction);
  bool decode_unpack(const ptx::Instruction& instruction);
  std::optional<std::array<SlotId, 2>> wide_halves(const ptx::Operand& operand, bool is_destination);
  bool decode_wide_pack(const ptx::Operand& to, const ptx::Operand& from,
                        const ptx::Instruction& instruction);
  bool decode_wide_unpack(const ptx::Operand& to, const ptx::Operand& from,
                          const ptx::Instruction& instruction);
  bool decode_vector_move(const ptx::Instruction& instruction);
  bool decode_wide_move(const ptx::Instruction& instruction);
  std::optional<MicroOp> bind_exchange(const Exchange& exchange, std::span<const ptx::Operand> sources);
  void append_members(const MembersOp& op, const ptx::Instruction& instruction);
  bool decode_warp_barrier(const ptx::Instruction& instruction);
  bool meets_whole_warp(const Step& step) const;
  bool decode_by_kind(const ptx::Instruction& instruction);
  bool decode_exchange(const ptx::Instruction& instruction);
  std::optional<SlotId> whole_source(const ptx::Operand& operand);
  bool decode_video(const ptx::Instruction& instruction);
  bool decode_clock(const ptx::Instruction& instruction);
  bool decode_space_test(const ptx::Instruction& instruction);
  bool decode_query_of_cancel(const ptx::Instruction& instruction);
  bool decode_phase_test(const ptx::Instruction& instruction);
  bool decode_rank(const ptx::Instruction& instruction);
  bool decode_carry(const ptx::Instruction& instruction);
  std::function<std::optional<Step>(const ptx::Instruction&)> decoder_of(const ptx::Instruction& instruction);
  void decode_assertion(const ptx::Instruction& instruction);
  std::optional<Step> decode_call(const ptx::Instruction& instruction);
  void decode_whole(std::uint32_t instruction);
  bool decode_selected(const ptx::Instruction& instruction);
  // decode_wide_conversion.cpp
  bool decode_wide_conversion(const ptx::Instruction& instruction);
  bool decode_cut_source(const InstructionForm& form, SlotId d, SlotId s,
                         const ptx::Instruction& instruction);
  void append_extension(SlotId to, SlotId from, ptx::Type type, const ptx::Instruction& instruction);
  void append_conversion(SlotId to, ptx::Modifier to_type, SlotId from, ptx::Modifier from_type,
                         const ptx::Instruction& instruction);
  SlotId whole_register(const ptx::Operand& operand) const;
  std::optional<MicroOp> bind_sources(const Selection& selection, const ptx::Instruction& instruction);
  std::optional<MicroOp> with_last_source(MicroOp op, const Selection& selection,
                                          const ptx::Operand& operand);
  SlotId append_inverse(SlotId predicate, std::uint32_t operand, const ptx::Instruction& instruction);
  bool append_truth_table_pair(MicroOp op, const ptx::Instruction& instruction);
  bool append_predicate_pair(MicroOp op, const ptx::Instruction& instruction);
  void append_copy(SlotId to, SlotId from, const ptx::Instruction& instruction);
  void append(MicroOp op, const ptx::Instruction& instruction);
  void append_result(const MicroOp& op, ptx::Type type, const ptx::Operand& destination,
                     const ptx::Instruction& instruction);
  // Execution ends here: the instruction's name and why.
  void stop(const ptx::Instruction& instruction, std::string_view why);
  bool decode_unknown_load(const ptx::Instruction& instruction);
  void forget(const ptx::Instruction& instruction);
  std::optional<SlotId> constant_of(const ptx::Instruction& instruction);
  std::optional<SlotId> destination(const ptx::Operand& operand, ptx::Type type) const;

  const ptx::Function& kernel_;
  const RegisterFlow& flow_;
  SlotTable& slots_;
  Program& program_;
  const Scope scope_;
  MemoryDecoder memory_;
  MatrixDecoder matrices_;
  MbarrierDecoder mbarriers_;
  BulkDecoder bulks_;
  ImageDecoder images_;
  TensorMemoryDecoder tensors_;
};

} // namespace kerncast::warp
