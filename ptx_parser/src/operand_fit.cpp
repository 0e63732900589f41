#include "operand_fit.h"

#include <algorithm>
#include <bit>

#include "address_check.h"
#include "special_registers.h"
#include "type_fit.h"
#include "video_selectors.h"

namespace kerncast::ptx {
namespace {

bool is_small_float(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2;
}

} // namespace

bool OperandFit::accepts(const OperandForm& form, const Operand& o) const {
  if (form.kind == FormKind::address || form.kind == FormKind::address_with_coordinates)
    return accepts_address(s_, signature_, o, form.kind == FormKind::address_with_coordinates);
  if (form.kind == FormKind::sink_only)
    return o.kind == OperandKind::sink;
  if (o.negated && !form.negatable)
    return false;
  if (o.kind == OperandKind::destination_pair)
    return accepts_pair(form, o);
  if (form.pair == Pair::required)
    return false;
  return accepts_vector(form, o);
}

bool OperandFit::accepts_pair(const OperandForm& form, const Operand& o) const {
  if (form.pair == Pair::none)
    return false;
  OperandForm predicate;
  predicate.kind = FormKind::destination;
  predicate.type = Type::pred;
  const auto pair = elements(o);
  if (pair[0].negated || pair[1].negated)
    return false;
  const bool second = pair[1].kind == OperandKind::sink ? signature_.may_discard_pair
                                                        : accepts_scalar(predicate, pair[1], false);
  return second && accepts_vector(form, pair[0]);
}

// `{x}` for x, and x for `{x}`, where ptxas 13.0 reads them alike.
bool OperandFit::accepts_single(const OperandForm& form, const Operand& o) const {
  if (form.max_length == 0)
    return o.kind == OperandKind::vector && o.elements().count == 1 && accepts_elements(form, elements(o));
  return form.min_length == 1 && o.kind == OperandKind::reg && accepts_scalar(form, o, false);
}

bool OperandFit::accepts_vector(const OperandForm& form, const Operand& o) const {
  // An offset of one dimension may stand without braces.
  const bool is_scalar = form.max_length == 0 || (form.kind == FormKind::offsets && form.min_length == 1);
  if (is_scalar && accepts_scalar(form, o, false))
    return true;
  if (signature_.braces_are_optional && accepts_single(form, o))
    return true;
  if (form.max_length == 0)
    return false;
  if (o.kind == OperandKind::reg) {
    const Register& r = s_.function->registers[o.id];
    return o.name.empty() && r.vector_length > 1 && r.vector_length >= form.min_length &&
           r.vector_length <= form.max_length && register_fits(r.type, form.type, form.wider);
  }
  // mov.v4.u32 {...}, %tid; ptxas 13.0 reads a single value so too.
  constexpr std::uint8_t components = 4;
  if (o.kind == OperandKind::special)
    return form.kind == FormKind::any_source && form.min_length == components &&
           special_register_fits(special_register(o.name), form.type, false);
  if (o.kind != OperandKind::vector)
    return false;
  const auto all = elements(o);
  return all.size() >= form.min_length && all.size() <= form.max_length &&
         (form.min_length == form.max_length || std::has_single_bit(all.size())) &&
         accepts_elements(form, all);
}

// A register of any type: the vector's type is what counts.
bool OperandFit::accepts_element(const OperandForm& form, const Operand& o) const {
  if (o.negated)
    return false;
  if (o.kind != OperandKind::reg)
    return accepts_scalar(form, o, true) || (is_small_float(form.type) && !is_destination(form) &&
                                             (o.kind == OperandKind::integer || o.kind == OperandKind::real));
  const Register& r = s_.function->registers[o.id];
  return is_single_value(r, o.name);
}

// ptxas 13.0 takes integers for floating-point elements where no arithmetic depends on them.
bool OperandFit::moves_bits(const OperandForm& form, Type vector) const {
  const bool is_plain_float = form.type == Type::f16 || form.type == Type::f32 || form.type == Type::f64;
  const bool is_derivative = signature_.opcode == Opcode::tex && !is_destination(form);
  return signature_.moves_vectors_as_bits && !is_derivative && is_plain_float && !is_float(vector) &&
         size_bytes(vector) == size_bytes(form.type);
}

bool OperandFit::accepts_elements(const OperandForm& form, std::span<const Operand> all) const {
  bool named = false;
  for (const Operand& o : all) {
    named = named || o.kind != OperandKind::sink;
    if (!accepts_element(form, o))
      return false;
  }
  const auto type = vector_type(*s_.function, all);
  // Where no register says what the vector is made of, its constants do.
  const bool is_open = type == Type::none && !is_small_float(form.type);
  return named && type && (is_open || register_fits(*type, form.type, form.wider) || moves_bits(form, *type));
}

bool OperandFit::accepts_scalar(const OperandForm& form, const Operand& o, bool is_element) const {
  switch (o.kind) {
  case OperandKind::reg:
    return form.kind != FormKind::integer_only && accepts_register(form, o);
  case OperandKind::sink:
    return is_element ? (is_destination(form) && signature_.opcode != Opcode::wgmma) ||
                            signature_.opcode == Opcode::mov
                      : is_destination(form) && signature_.may_discard;
  case OperandKind::integer:
  case OperandKind::real:
    return takes_constants(form) && accepts_constant(form, o, is_element);
  case OperandKind::special:
    return accepts_special(form, o, is_element);
  case OperandKind::symbol:
    return !is_element && accepts_symbol(form, o);
  default:
    return false;
  }
}

// A source of mov, of cvt between integers, and an element of every vector that is read.
bool OperandFit::accepts_special(const OperandForm& form, const Operand& o, bool is_element) const {
  const SpecialRegister special = special_register(o.name);
  if (is_element) // vector_type looks at its width
    return (form.kind == FormKind::any_source || form.kind == FormKind::source ||
            form.kind == FormKind::offsets) &&
           !special.is_vector() && special.type != Type::pred;
  if (form.kind != FormKind::any_source)
    return false;
  if (signature_.opcode == Opcode::mov)
    return special.is_vector() ? form.type == Type::b128 : special_register_fits(special, form.type, false);
  constexpr auto is_float_type = [](Modifier m) { return is_float(type_of(m)); };
  return signature_.opcode == Opcode::cvt && !special.is_vector() &&
         special_register_fits(special, form.type, true) &&
         std::none_of(signature_.modifiers.begin(), signature_.modifiers.end(), is_float_type);
}

// On the destination only where a third source fills the rest of it.
bool OperandFit::accepts_video_selector(const OperandForm& form, const Operand& o) const {
  constexpr std::size_t operands_with_third_source = 4;
  return form.kind == FormKind::video_source
             ? selects_source(signature_.opcode, o.name)
             : operands_ == operands_with_third_source && selects_destination(signature_.opcode, o.name);
}

bool OperandFit::accepts_register(const OperandForm& form, const Operand& o) const {
  const Register& r = s_.function->registers[o.id];
  const bool is_video = form.kind == FormKind::video_source || form.kind == FormKind::video_destination;
  if (!o.name.empty() && !(is_video ? accepts_video_selector(form, o) : is_component(r, o.name)))
    return false;
  if (o.name.empty() && r.vector_length > 1)
    return false;
  if (form.exact)
    return r.type == form.type;
  return form.type == Type::none ? !is_opaque(r.type) : register_fits(r.type, form.type, form.wider);
}

// An address: a whole number of 32 or 64 bits. ptxas 13.0 takes a bare name only where an instruction makes
// addresses ("must be register"), but a name with an offset, which is a constant expression, everywhere.
bool OperandFit::accepts_symbol(const OperandForm& form, const Operand& o) const {
  const bool makes_addresses = form.kind == FormKind::any_source && signature_.opcode != Opcode::cvt;
  const bool is_source = form.kind == FormKind::any_source || form.kind == FormKind::source;
  return is_source && (makes_addresses || o.value != 0) &&
         (form.type == Type::none || (size_bytes(form.type) >= 4 && !is_float(form.type)));
}

bool OperandFit::takes_constants(const OperandForm& form) const {
  const bool is_packed_video = form.kind == FormKind::video_source && works_on_parts(signature_.opcode);
  return !is_destination(form) && form.kind != FormKind::register_only && !form.exact && !is_packed_video;
}

bool OperandFit::accepts_constant(const OperandForm& form, const Operand& o, bool is_element) const {
  if (form.type == Type::none)
    return true;
  if (o.kind == OperandKind::integer)
    return !is_float(form.type);
  if (form.type == Type::f32 || form.type == Type::f64)
    return true;
  // A 0f literal is 32 bits wide, every other one 64.
  return is_untyped(form.type) && (is_element || form.type == (o.is_single ? Type::b32 : Type::b64));
}

} // namespace kerncast::ptx
