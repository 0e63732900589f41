#include "decode_mbarrier.h"

#include <algorithm>

#include "lane_moves.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;
using MbarrierKind = MbarrierOp::Kind;

struct MbarrierRow {
  Modifier name{};
  MbarrierKind kind{};
  bool has_destination = false;
  Type value = Type::u32;
};
constexpr MbarrierRow mbarrier_rows[] = {{Modifier::init, MbarrierKind::init},
                                         {Modifier::inval, MbarrierKind::invalidate},
                                         {Modifier::expect_tx, MbarrierKind::expect_tx},
                                         {Modifier::complete_tx, MbarrierKind::complete_tx},
                                         {Modifier::arrive, MbarrierKind::arrive, true},
                                         {Modifier::arrive_drop, MbarrierKind::arrive_drop, true},
                                         {Modifier::test_wait, MbarrierKind::test, true, Type::b64},
                                         {Modifier::try_wait, MbarrierKind::test, true, Type::b64}};

std::optional<MbarrierRow> mbarrier_row(const InstructionForm& form) {
  for (const MbarrierRow& row : mbarrier_rows) {
    if (form.modifiers.empty() || form.modifiers[0] != row.name)
      continue;
    MbarrierRow found = row;
    if (row.kind == MbarrierKind::arrive && form.has(Modifier::expect_tx))
      found.kind = MbarrierKind::arrive_expect_tx;
    if (row.kind == MbarrierKind::test && form.has(Modifier::parity)) {
      found.kind = MbarrierKind::test_parity;
      found.value = Type::u32;
    }
    if (row.kind == MbarrierKind::arrive_drop && form.has(Modifier::expect_tx))
      found.kind = MbarrierKind::drop_expect_tx;
    return found;
  }
  return std::nullopt;
}

} // namespace

bool MbarrierDecoder::is_mbarrier(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel, instruction);
  return instruction.opcode == Opcode::mbarrier ||
         (instruction.opcode == Opcode::cp && form.has(Modifier::mbarrier));
}

bool MbarrierDecoder::bind(const ptx::Instruction& instruction, MbarrierOp& op, bool has_destination,
                           Type value_type) {
  auto operands = kernel_.operands(instruction);
  if (has_destination && !operands.empty() && operands[0].kind != OperandKind::address) {
    if (operands[0].kind == OperandKind::reg)
      op.destination = slots_.of_register(operands[0].id);
    operands = operands.subspan(1);
  }
  const auto address = operands.empty() ? std::nullopt : memory_.address_of(operands[0]);
  if (!address)
    return false;
  op.address = *address;
  if (operands.size() > 1) {
    const auto value = slots_.source(operands[1], value_type);
    op.value = value.value_or(SlotId{});
    return value.has_value();
  }
  return op.kind == MbarrierKind::arrive || op.kind == MbarrierKind::arrive_drop ||
         op.kind == MbarrierKind::invalidate;
}

std::optional<MbarrierOp> MbarrierDecoder::decode_operation(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  const auto row = mbarrier_row(form);
  if (!row) // .noComplete promises only that the arrival ends no phase
    return std::nullopt;
  MbarrierOp op;
  op.kind = row->kind;
  return bind(instruction, op, row->has_destination, row->value) ? std::optional(op) : std::nullopt;
}

// cp.async.mbarrier.arrive{.noinc}.shared.b64 [barrier]: the copies are done, so the arrival is now. Without
// .noinc one more arrival is expected, which is this one: nothing changes.
std::optional<MbarrierOp> MbarrierDecoder::decode_copy_arrival(const ptx::Instruction& instruction) {
  MbarrierOp op;
  op.kind = MbarrierKind::arrive;
  if (!bind(instruction, op, false, Type::u32))
    return std::nullopt;
  if (!form_of(kernel_, instruction).has(Modifier::noinc)) {
    op.kind = MbarrierKind::expect_tx;
    op.value = slots_.immediate(Pool::word, 0);
  }
  return op;
}

// mbarrier.pending_count.b64 d, state
std::optional<Step> MbarrierDecoder::decode_pending_count(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  const auto state = operands.size() == 2 ? slots_.source(operands[1], Type::b64) : std::nullopt;
  if (!state || operands[0].kind != OperandKind::reg)
    return std::nullopt;
  MicroOp op;
  op.apply = unpack_function(8);
  op.immediate = MbarrierState::pending_at | MbarrierState::pending_bits << 8;
  op.sources[0] = *state;
  op.source_count = 1;
  op.destination = slots_.of_register(operands[0].id);
  if (op.destination.pool != Pool::word)
    return std::nullopt;
  return step_of(instruction, slots_, Step::Kind::compute, std::optional(op), program_.ops);
}

std::optional<Step> MbarrierDecoder::decode(const ptx::Instruction& instruction) {
  if (form_of(kernel_, instruction).has(Modifier::pending_count))
    return decode_pending_count(instruction);
  const auto op =
      instruction.opcode == Opcode::cp ? decode_copy_arrival(instruction) : decode_operation(instruction);
  return step_of(instruction, slots_, Step::Kind::mbarrier, op, program_.mbarriers);
}

} // namespace kerncast::warp
