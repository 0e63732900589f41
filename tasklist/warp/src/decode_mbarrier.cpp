#include "decode_mbarrier.h"

#include <algorithm>

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;
using Kind = MbarrierOp::Kind;

struct Row {
  Modifier name{};
  Kind kind{};
  bool has_destination = false;
  Type value = Type::u32;
};
constexpr Row rows[] = {{Modifier::init, Kind::init},
                        {Modifier::inval, Kind::invalidate},
                        {Modifier::expect_tx, Kind::expect_tx},
                        {Modifier::complete_tx, Kind::complete_tx},
                        {Modifier::arrive, Kind::arrive, true},
                        {Modifier::arrive_drop, Kind::arrive_drop, true},
                        {Modifier::test_wait, Kind::test, true, Type::b64},
                        {Modifier::try_wait, Kind::test, true, Type::b64}};

std::optional<Row> row_of(const InstructionForm& form) {
  for (const Row& row : rows) {
    if (form.modifiers.empty() || form.modifiers[0] != row.name)
      continue;
    Row found = row;
    if (row.kind == Kind::arrive && form.has(Modifier::expect_tx))
      found.kind = Kind::arrive_expect_tx;
    if (row.kind == Kind::test && form.has(Modifier::parity)) {
      found.kind = Kind::test_parity;
      found.value = Type::u32;
    }
    const bool drops_and_expects = row.kind == Kind::arrive_drop && form.has(Modifier::expect_tx);
    return drops_and_expects ? std::nullopt : std::optional(found);
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
  return op.kind == Kind::arrive || op.kind == Kind::arrive_drop || op.kind == Kind::invalidate;
}

std::optional<MbarrierOp> MbarrierDecoder::decode_operation(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  const auto row = row_of(form);
  if (!row || form.has(Modifier::noComplete))
    return std::nullopt;
  MbarrierOp op;
  op.kind = row->kind;
  return bind(instruction, op, row->has_destination, row->value) ? std::optional(op) : std::nullopt;
}

// cp.async.mbarrier.arrive.noinc.shared.b64 [barrier]: the copies are done, so the arrival is now.
std::optional<MbarrierOp> MbarrierDecoder::decode_copy_arrival(const ptx::Instruction& instruction) {
  MbarrierOp op;
  op.kind = Kind::arrive;
  return bind(instruction, op, false, Type::u32) ? std::optional(op) : std::nullopt;
}

std::optional<Step> MbarrierDecoder::decode(const ptx::Instruction& instruction) {
  Step step = guarded_step(instruction, slots_, Step::Kind::mbarrier);
  const auto op =
      instruction.opcode == Opcode::cp ? decode_copy_arrival(instruction) : decode_operation(instruction);
  step.index = static_cast<std::uint32_t>(program_.mbarriers.size());
  if (op)
    program_.mbarriers.push_back(*op);
  return op ? std::optional(step) : std::nullopt;
}

} // namespace kerncast::warp
