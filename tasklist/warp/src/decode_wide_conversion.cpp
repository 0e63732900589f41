// cvt that reads 32 bits or fewer of a 64-bit register, or extends so few to one: a source is cut to its low
// bits, an integer result extended to its register by its sign or zeros (PTX ISA, section 9.4.1, operand
// size exceeding instruction-type size). What is left over of the source is made in the destination. Left
// out: conversions between floating-point numbers and 64-bit registers, saturation into these, constants.
#include <cassert>

#include "decode_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

constexpr std::uint32_t longword_bytes = 8;

MicroOp bound(const Selection& selection, SlotId to, SlotId from, SlotId by = {}) {
  MicroOp op = operation_of(selection);
  op.sources[0] = from;
  op.sources[1] = by;
  op.destination = to;
  return op;
}

} // namespace

// `to` = the low bits of `from`, as many as `type` has, extended to 64. Both are longwords.
void OperationDecoder::append_extension(SlotId to, SlotId from, Type type,
                                        const ptx::Instruction& instruction) {
  if (ptx::size_bytes(type) == longword_bytes)
    return append_copy(to, from, instruction);
  const SlotId distance = slots_.immediate(Pool::word, 8 * (longword_bytes - ptx::size_bytes(type)));
  const Modifier bits = Modifier::b64, sign = ptx::is_signed(type) ? Modifier::s64 : Modifier::u64;
  const auto up = select_operation({Opcode::shl, {&bits, 1}, {ptx::type_of(bits)}, 1});
  const auto down = select_operation({Opcode::shr, {&sign, 1}, {ptx::type_of(sign)}, 1});
  assert(up && down && "longwords can be shifted");
  append(bound(*up, to, from, distance), instruction);
  append(bound(*down, to, to, distance), instruction);
}

// `to` = what the cvt of these integer types makes of `from`.
void OperationDecoder::append_conversion(SlotId to, Modifier to_type, SlotId from, Modifier from_type,
                                         const ptx::Instruction& instruction) {
  const Modifier modifiers[] = {to_type, from_type};
  const auto conversion =
      select_operation({Opcode::cvt, modifiers, {ptx::type_of(to_type), ptx::type_of(from_type)}, 2});
  assert(conversion && "integers convert to integers");
  append(bound(*conversion, to, from), instruction);
}

// From a 64-bit register of which a word or less is read, to one of up to 32 bits.
bool OperationDecoder::decode_cut_source(const InstructionForm& form, SlotId d, SlotId s,
                                         const ptx::Instruction& instruction) {
  const auto conversion = select_operation(form);
  if (!conversion || pool_of(form.types[0]) != Pool::word || (conversion->inexact && scope_ == Scope::slice))
    return false;
  append_conversion(d, Modifier::u32, s, Modifier::u64, instruction);
  append_result(bound(*conversion, d, d), form.types[0], kernel_.operands(instruction)[0], instruction);
  return true;
}

bool OperationDecoder::decode_wide_conversion(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  const InstructionForm form = form_of(kernel_, instruction);
  if (form.opcode != Opcode::cvt || form.type_count != 2 || operands.size() != 2 ||
      ptx::is_float(form.types[1]))
    return false;
  const SlotId d = whole_register(operands[0]), s = whole_register(operands[1]);
  const Pool to = pool_of(form.types[0]), from = pool_of(form.types[1]);
  if (d.pool == Pool::word && s.pool == Pool::longword && from == Pool::word)
    return decode_cut_source(form, d, s, instruction);
  const bool is_wide = from == Pool::word ? s.pool == Pool::longword || to == Pool::word : to == Pool::word;
  if (d.pool != Pool::longword || !is_wide || ptx::is_float(form.types[0]) || form.modifiers.size() != 2)
    return false;
  if (s.pool == Pool::word && from == Pool::word)
    append_conversion(d, ptx::is_signed(form.types[1]) ? Modifier::s64 : Modifier::u64, s, form.modifiers[1],
                      instruction);
  else if (s.pool == Pool::longword)
    append_extension(d, s, form.types[1], instruction);
  else
    return false;
  if (to == Pool::word)
    append_extension(d, d, form.types[0], instruction);
  return true;
}

} // namespace kerncast::warp
