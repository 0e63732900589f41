// Operations that work on parts of registers or on registers that no operand names: packing and unpacking,
// video instructions, carries, clocks, ranks in a cluster.
#include <algorithm>

#include "carries.h"
#include "decode_operation.h"
#include "lane_moves.h"
#include "special_registers.h"
#include "video.h"

namespace kerncast::warp {
namespace {

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

Type part_type(std::uint32_t bytes) { return bytes == 4 ? Type::b32 : bytes == 2 ? Type::b16 : Type::b8; }

} // namespace

// mov.b16/.b32/.b64 d, {low, ..., high}
bool OperationDecoder::decode_pack(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  const std::uint32_t bytes = ptx::size_bytes(form_of(kernel_, instruction).type());
  const std::uint32_t count = operands[1].elements().count;
  if (operands[1].kind != OperandKind::vector || (count != 2 && count != 4) || bytes < 2 || bytes > 8)
    return false;
  const auto d = destination(operands[0], bytes == 8 ? Type::b64 : Type::b32);
  MicroOp op;
  op.apply = pack_function(bytes);
  op.source_count = static_cast<std::uint8_t>(count);
  op.immediate = 8 * bytes / count;
  for (std::uint32_t p = 0; p < count; ++p) {
    const auto part = slots_.source(kernel_.elements(operands[1])[p], part_type(bytes / count));
    if (!d || !part)
      return false;
    op.sources[p] = *part;
  }
  op.destination = *d;
  append(op, instruction);
  return true;
}

// mov.b16/.b32/.b64 {low, ..., high}, a
bool OperationDecoder::decode_unpack(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  const std::uint32_t bytes = ptx::size_bytes(form_of(kernel_, instruction).type());
  const std::uint32_t count = operands[0].elements().count;
  if (operands[0].kind != OperandKind::vector || (count != 2 && count != 4) || bytes < 2 || bytes > 8)
    return false;
  const auto a = slots_.source(operands[1], bytes == 8 ? Type::b64 : Type::b32);
  if (!a)
    return false;
  const std::uint32_t part_bits = 8 * bytes / count;
  MicroOp op;
  op.apply = unpack_function(bytes);
  op.sources[0] = *a;
  op.source_count = 1;
  // A part that is written over the source comes last.
  for (const bool overwrites : {false, true})
    for (std::uint32_t p = 0; p < count; ++p) {
      const auto slot = destination(kernel_.elements(operands[0])[p], part_type(bytes / count));
      if (!slot || (*slot == *a) != overwrites)
        continue;
      op.destination = *slot;
      op.immediate = p * part_bits + (part_bits << 8);
      append(op, instruction);
    }
  return true;
}

// The 64-bit halves of one operand of mov.b128: of a register, or those of a vector, Pool::none for `_`.
std::optional<std::array<SlotId, 2>> OperationDecoder::wide_halves(const Operand& operand,
                                                                   bool is_destination) {
  if (const auto* halves = slots_.halves(operand))
    return *halves;
  if (operand.kind != OperandKind::vector || operand.elements().count != 2)
    return std::nullopt;
  std::array<SlotId, 2> halves;
  for (std::size_t p = 0; p < halves.size(); ++p) {
    const Operand& part = kernel_.elements(operand)[p];
    const auto slot = is_destination ? slots_.loaded(part) : slots_.source(part, Type::b64);
    if (!slot || slot->pool == Pool::word)
      return std::nullopt;
    halves[p] = *slot;
  }
  return halves;
}

// mov.b128 d, {lowest, ..., highest} of four words
bool OperationDecoder::decode_wide_pack(const Operand& to, const Operand& from,
                                        const ptx::Instruction& instruction) {
  const auto* halves = slots_.halves(to);
  std::array<SlotId, 4> words;
  if (halves == nullptr || from.kind != OperandKind::vector || from.elements().count != words.size() ||
      !slots_.sources(kernel_.elements(from), Type::b32, words))
    return false;
  for (std::size_t half = 0; half < halves->size(); ++half) {
    MicroOp op;
    op.apply = pack_function(8);
    op.sources = {words[2 * half], words[2 * half + 1], SlotId{}, SlotId{}};
    op.source_count = 2;
    op.immediate = 32;
    op.destination = (*halves)[half];
    append(op, instruction);
  }
  return true;
}

// mov.b128 {lowest, ..., highest}, a
bool OperationDecoder::decode_wide_unpack(const Operand& to, const Operand& from,
                                          const ptx::Instruction& instruction) {
  const auto* halves = slots_.halves(from);
  if (halves == nullptr || to.kind != OperandKind::vector || to.elements().count != 4)
    return false;
  for (std::uint32_t word = 0; word < 4; ++word) {
    const auto slot = destination(kernel_.elements(to)[word], Type::b32);
    if (!slot)
      continue;
    MicroOp op;
    op.apply = unpack_function(8);
    op.sources[0] = (*halves)[word / 2];
    op.source_count = 1;
    op.immediate = 32 * (word % 2) + (32U << 8);
    op.destination = *slot;
    append(op, instruction);
  }
  return true;
}

// mov.b128 d, a; d, {low, high}; {low, high}, a
bool OperationDecoder::decode_wide_move(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  if (form_of(kernel_, instruction).type() != Type::b128)
    return false;
  if (decode_wide_pack(operands[0], operands[1], instruction) ||
      decode_wide_unpack(operands[0], operands[1], instruction))
    return true;
  const auto to = wide_halves(operands[0], true), from = wide_halves(operands[1], false);
  if (!to || !from)
    return false;
  for (std::size_t p = 0; p < to->size(); ++p)
    if ((*to)[p].pool != Pool::none)
      append_copy((*to)[p], (*from)[p], instruction);
  return true;
}

// mov.vN {d, ...}, {a, ...}: all is read before anything is written, so none may be overwritten before.
bool OperationDecoder::decode_vector_move(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  const InstructionForm form = form_of(kernel_, instruction);
  const auto to = kernel_.parts(operands[0]), from = kernel_.parts(operands[1]);
  if (!(form.has(ptx::Modifier::v2) || form.has(ptx::Modifier::v4)) || to.size() != from.size())
    return false;
  std::vector<SlotId> sources(from.size());
  if (!slots_.sources(from, form.type(), sources))
    return false;
  std::vector<SlotId> destinations;
  for (std::size_t e = 0; e < to.size(); ++e) {
    destinations.push_back(destination(to[e], form.type()).value_or(SlotId{}));
    const auto later = sources.begin() + static_cast<std::ptrdiff_t>(e) + 1;
    if (destinations.back() != sources[e] &&
        std::find(later, sources.end(), destinations.back()) != sources.end())
      return false;
  }
  for (std::size_t e = 0; e < to.size(); ++e)
    if (destinations[e].pool != Pool::none)
      append_copy(destinations[e], sources[e], instruction);
  return true;
}

bool OperationDecoder::decode_parts(const ptx::Instruction& instruction) {
  if (instruction.opcode != Opcode::mov || kernel_.operands(instruction).size() != 2)
    return false;
  return decode_vector_move(instruction) || decode_pack(instruction) || decode_unpack(instruction) ||
         decode_wide_move(instruction);
}

// The carry out of the sources comes first, since the result may be one of them, and CC.CF last, since it
// may be read.
bool OperationDecoder::decode_carry(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  const auto carry = select_carry(form);
  const auto operands = kernel_.operands(instruction);
  if (!carry || operands.size() != carry->operands + 1U)
    return false;
  MicroOp op;
  op.source_count = static_cast<std::uint8_t>(carry->operands + 1);
  for (std::uint32_t s = 0; s < carry->operands; ++s) {
    const auto slot = slots_.source(operands[s + 1], form.type());
    if (!slot || operands[s + 1].negated)
      return false;
    op.sources[s] = *slot;
  }
  const SlotId flag = slots_.of_register(carry_flag(kernel_));
  op.sources[carry->operands] = carry->carries_in ? flag : slots_.immediate(Pool::predicate, 0);
  op.destination = slots_.of_register(next_carry_flag(kernel_));
  op.apply = carry->carry;
  if (carry->carries_out)
    append(op, instruction);
  if (const auto d = destination(operands[0], form.type())) {
    op.destination = *d;
    op.apply = carry->value;
    append(op, instruction);
  }
  if (carry->carries_out)
    append_copy(flag, slots_.of_register(next_carry_flag(kernel_)), instruction);
  return true;
}

// The register of an operand, whatever part of it is selected.
std::optional<SlotId> OperationDecoder::whole_source(const Operand& operand) {
  if (operand.kind != OperandKind::reg)
    return slots_.source(operand, Type::b32);
  const SlotId slot = slots_.of_register(operand.id);
  return slot.pool == Pool::word && !operand.negated ? std::optional(slot) : std::nullopt;
}

// vadd and its like: d, a, b, and c if there is a second operation or a part of c stays. Those of vmad may
// have minus signs.
bool OperationDecoder::decode_video(const ptx::Instruction& instruction) {
  auto video = select_video(form_of(kernel_, instruction));
  const auto written = kernel_.operands(instruction);
  std::vector<Operand> operands(written.begin(), written.end());
  if (video && instruction.opcode == Opcode::vmad && operands.size() == 4) {
    video->immediate =
        with_signs(video->immediate, operands[1].negated != operands[2].negated, operands[3].negated);
    for (Operand& operand : operands)
      operand.negated = false;
  }
  if (!video || operands.size() < 3 || operands[0].kind != OperandKind::reg)
    return false;
  const auto immediate = with_selectors(video->immediate, operands[0].name,
                                        operands[1].kind == OperandKind::reg ? operands[1].name : "",
                                        operands[2].kind == OperandKind::reg ? operands[2].name : "");
  const auto a = whole_source(operands[1]), b = whole_source(operands[2]);
  const auto c =
      operands.size() > 3 ? whole_source(operands[3]) : std::optional(slots_.immediate(Pool::word, 0));
  const auto d = whole_source(operands[0]);
  if (!immediate || !a || !b || !c || !d)
    return false;
  MicroOp op;
  op.apply = video->apply;
  op.immediate = *immediate;
  op.sources = {*a, *b, *c, SlotId{}};
  op.source_count = 3;
  op.destination = *d;
  append(op, instruction);
  return true;
}

// getctarank{.shared::cluster}.u32|.u64 d, a
bool OperationDecoder::decode_rank(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  if (instruction.opcode != Opcode::getctarank || operands.size() != 2)
    return false;
  const auto d = destination(operands[0], Type::u32);
  const auto address = slots_.source(operands[1], form_of(kernel_, instruction).type());
  if (!d || !address)
    return false;
  MicroOp op;
  op.apply = rank_function(address->pool);
  op.sources[0] = *address;
  op.sources[1] = slots_.special(Special::cluster_ctarank, Pool::word);
  op.source_count = 2;
  op.destination = *d;
  op.rule = AdvanceRule::opaque;
  append(op, instruction);
  return true;
}

// isspacep.SPACE p, a
bool OperationDecoder::decode_space_test(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  if (instruction.opcode != Opcode::isspacep || operands.size() != 2)
    return false;
  const InstructionForm form = form_of(kernel_, instruction);
  const auto d = destination(operands[0], Type::pred);
  const auto wide = slots_.source(operands[1], Type::u64);
  const auto address = wide ? wide : slots_.source(operands[1], Type::u32);
  Region region = addresses_of(space_of(form), program_.address_bits);
  if (form.has(ptx::Modifier::shared_cluster)) // with those of the other CTAs
    region.bytes = addresses_of(ptx::Space::param, program_.address_bits).base;
  if (!d || !address)
    return false;
  if (address->pool == Pool::word) // reaches the lowest of the spaces only
    region.bytes = region.base > UINT32_MAX ? 0 : std::min<std::uint64_t>(region.bytes, UINT32_MAX);
  MicroOp op;
  op.apply = range_function(address->pool);
  op.sources = {*address, slots_.immediate(address->pool, region.base),
                slots_.immediate(address->pool, region.bytes), SlotId{}};
  op.source_count = 3;
  op.destination = *d;
  append(op, instruction);
  return true;
}

// clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, a; .get_first_ctaid::x.b32.b128 d, a;
// .get_first_ctaid.v4.b32.b128 {d, ...}, a: no answer says that a cluster was cancelled, or which.
bool OperationDecoder::decode_query_of_cancel(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  if (!is_query_of_cancel(kernel_, instruction) || operands.size() != 2)
    return false;
  const bool is_predicate = form_of(kernel_, instruction).has(ptx::Modifier::is_canceled);
  for (const Operand& part : kernel_.parts(operands[0]))
    if (const auto d = destination(part, is_predicate ? Type::pred : Type::b32))
      append_copy(*d, slots_.immediate(d->pool, 0), instruction);
  return true;
}

// mbarrier.{test,try}_wait p, [barrier], ...: for the slice the phase is over.
bool OperationDecoder::decode_phase_test(const ptx::Instruction& instruction) {
  if (!is_phase_test(kernel_, instruction))
    return false;
  if (const auto d = destination(kernel_.operands(instruction).front(), Type::pred))
    append_copy(*d, slots_.immediate(d->pool, 1), instruction);
  return true;
}

// mov.u32 d, %clock and its like.
bool OperationDecoder::decode_clock(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  if (instruction.opcode != Opcode::mov || operands.size() != 2 || operands[1].kind != OperandKind::special)
    return false;
  const auto clock = find_clock(operands[1].name);
  const auto d = clock ? destination(operands[0], clock->bytes == 8 ? Type::u64 : Type::u32) : std::nullopt;
  if (!d)
    return false;
  MicroOp op;
  op.apply = clock_function(d->pool, clock->is_upper);
  op.destination = *d;
  op.rule = AdvanceRule::opaque;
  append(op, instruction);
  return true;
}

} // namespace kerncast::warp
