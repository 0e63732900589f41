// Computations on registers, operand by operand from the selected lane function.
#include "decode_operation.h"
#include "lane_moves.h"
#include "select_operation.h"

namespace kerncast::warp {

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

namespace {

// What stands behind the destination, the elements of vectors one by one.
std::vector<Operand> sources_of(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  std::vector<Operand> sources;
  for (const Operand& operand : kernel.operands(instruction).subspan(1)) {
    const auto parts = kernel.parts(operand);
    sources.insert(sources.end(), parts.begin(), parts.end());
  }
  return sources;
}

// Whether an instruction with so many sources is one of the selection's; `or_more`: what follows them is its
// own.
bool fits(std::size_t sources, const Selection& selection, bool or_more) {
  const std::size_t count = selection.source_count + (selection.last_source_shift > 0 ? 1U : 0U);
  return sources == count || (or_more && sources > count);
}

} // namespace

// Fills the operands of a selected operation; empty if one of them cannot be followed.
std::optional<MicroOp> OperationDecoder::bind_sources(const Selection& selection,
                                                      const ptx::Instruction& instruction) {
  const std::vector<Operand> operands = sources_of(kernel_, instruction);
  MicroOp op = operation_of(selection);
  const bool has_table = instruction.opcode == Opcode::lop3; // and perhaps a predicate behind it
  if (!fits(operands.size(), selection, has_table))
    return std::nullopt;
  const bool compares = instruction.opcode == Opcode::setp || instruction.opcode == Opcode::set;
  op.source2_negated = compares && selection.source_count > 2 && operands[2].negated; // combined as such
  for (std::uint32_t i = 0; i < selection.source_count; ++i) {
    const bool inverts = operands[i].negated && !(compares && i == 2);
    const auto slot = slots_.source(operands[i], selection.sources[i]);
    if (!slot || (inverts && selection.sources[i] != Type::pred))
      return std::nullopt;
    op.sources[i] = inverts ? append_inverse(*slot, i, instruction) : *slot;
  }
  if (has_table && operands.size() > 3)
    op.immediate = static_cast<std::uint32_t>(operands[3].value);
  return selection.last_source_shift > 0 ? with_last_source(op, selection, operands.back()) : op;
}

std::optional<MicroOp> OperationDecoder::with_last_source(MicroOp op, const Selection& selection,
                                                          const Operand& operand) {
  const auto slot = slots_.source(operand, Type::b32);
  if (!slot || slot->index >> (32 - selection.last_source_shift) != 0)
    return std::nullopt;
  op.immediate |= slot->index << selection.last_source_shift;
  return op;
}

// Where !p is found.
SlotId OperationDecoder::append_inverse(SlotId predicate, std::uint32_t operand,
                                        const ptx::Instruction& instruction) {
  constexpr ptx::Modifier modifiers[] = {ptx::Modifier::pred};
  const auto inversion = select_operation({Opcode::not_, modifiers, {Type::pred}, 1});
  assert(inversion && "predicates can be inverted");
  MicroOp op = operation_of(*inversion);
  op.sources[0] = predicate;
  op.destination = slots_.of_register(inverted_operand(kernel_, operand));
  append(op, instruction);
  return op.destination;
}

// setp p|q: q is the inverted comparison, combined likewise; for packed halves p is that of the lower and q
// that of the upper halves. The destination that the combination reads
// is written last.
bool OperationDecoder::append_predicate_pair(MicroOp op, const ptx::Instruction& instruction) {
  const auto pair = kernel_.elements(kernel_.operands(instruction)[0]);
  if (instruction.opcode == Opcode::lop3)
    return append_truth_table_pair(op, instruction);
  if (instruction.opcode != Opcode::setp || pair.size() != 2)
    return false;
  MicroOp inverted = op;
  const bool is_packed = op.type == Type::f16x2 || op.type == Type::bf16x2;
  inverted.immediate |= is_packed ? compare_upper_halves : inverted_comparison;
  const auto p = destination(pair[0], Type::pred);
  const auto q = destination(pair[1], Type::pred);
  op.destination = p.value_or(SlotId{});
  inverted.destination = q.value_or(SlotId{});
  const bool p_last = p && op.source_count == 3 && op.sources[2] == *p;
  if (q && p_last)
    append(inverted, instruction);
  if (p)
    append(op, instruction);
  if (q && !p_last)
    append(inverted, instruction);
  return true;
}

// lop3.and|or d|p, a, b, c, table, q: p is d != 0 combined with q. d, which may be a source, comes last.
bool OperationDecoder::append_truth_table_pair(MicroOp op, const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  const auto pair = kernel_.elements(operands[0]);
  const auto q = operands.size() == 6 ? slots_.source(operands[5], Type::pred) : std::nullopt;
  const auto p = pair.size() == 2 ? destination(pair[1], Type::pred) : std::nullopt;
  if (!q || !p)
    return false;
  MicroOp truth = op;
  truth.apply = truth_of_table;
  truth.sources[3] = operands[5].negated ? append_inverse(*q, 5, instruction) : *q;
  truth.source_count = 4;
  truth.immediate |= form_of(kernel_, instruction).has(ptx::Modifier::or_) ? table_or : 0;
  truth.destination = *p;
  append(truth, instruction);
  if (const auto d = destination(pair[0], Type::b32)) {
    op.destination = *d;
    append(op, instruction);
  }
  return true;
}

bool OperationDecoder::decode_selected(const ptx::Instruction& instruction) {
  const auto selection = select_operation(form_of(kernel_, instruction));
  const auto operands = kernel_.operands(instruction);
  if (!selection || operands.empty() || (selection->inexact && scope_ == Scope::slice))
    return false;
  auto op = bind_sources(*selection, instruction);
  if (!op)
    return false;
  if (operands[0].kind == OperandKind::destination_pair)
    return append_predicate_pair(*op, instruction);
  const auto d = destination(operands[0], selection->result);
  if (!d)
    return false;
  op->destination = *d;
  append_result(*op, selection->result, operands[0], instruction);
  return true;
}

} // namespace kerncast::warp
