#include "operand_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "address_check.h"
#include "operand_text.h"
#include "special_registers.h"
#include "type_fit.h"
#include "video_selectors.h"

namespace kerncast::ptx {
namespace {

class Checker {
public:
  Checker(const State& state, const Signature& signature, std::span<const Operand> operands)
      : s_(state), signature_(signature), operands_(operands) {}

  // As many operands as forms, and each fits: nearly every instruction.
  bool all_fit(std::span<const OperandForm> forms) const {
    if (forms.size() != operands_.size())
      return false;
    for (std::size_t i = 0; i < forms.size(); ++i)
      if (!accepts(forms[i], operands_[i]))
        return false;
    return true;
  }
  // Every operand in its place, optional ones left out where they do not fit.
  bool matches(std::span<const OperandForm> forms, std::size_t form = 0, std::size_t operand = 0);
  // What is wrong with the operand that got furthest with these forms.
  std::string explain(std::span<const OperandForm> forms) const;
  std::size_t furthest() const { return furthest_; }

private:
  bool accepts(const OperandForm& form, const Operand& o) const;
  bool accepts_pair(const OperandForm& form, const Operand& o) const;
  bool accepts_single(const OperandForm& form, const Operand& o) const;
  bool accepts_vector(const OperandForm& form, const Operand& o) const;
  bool accepts_element(const OperandForm& form, const Operand& o) const;
  bool accepts_elements(const OperandForm& form, std::span<const Operand> all) const;
  bool moves_bits(const OperandForm& form, Type vector) const;
  bool accepts_scalar(const OperandForm& form, const Operand& o, bool is_element) const;
  bool accepts_special(const OperandForm& form, const Operand& o, bool is_element) const;
  bool accepts_video_selector(const OperandForm& form, const Operand& o) const;
  bool accepts_register(const OperandForm& form, const Operand& o) const;
  bool accepts_symbol(const OperandForm& form, const Operand& o) const;
  bool accepts_constant(const OperandForm& form, const Operand& o, bool is_element) const;
  static bool is_destination(const OperandForm& form) {
    return form.kind == FormKind::destination || form.kind == FormKind::video_destination;
  }
  std::span<const Operand> elements(const Operand& o) const { return s_.function->elements(o); }

  const State& s_;
  const Signature& signature_;
  std::span<const Operand> operands_;
  std::size_t furthest_ = 0;      // operand
  std::size_t furthest_form_ = 0; // what it was compared with
};

bool Checker::matches(std::span<const OperandForm> forms, std::size_t form, std::size_t operand) {
  for (; form < forms.size(); ++form, ++operand) {
    const bool good = operand < operands_.size() && accepts(forms[form], operands_[operand]);
    if (operand >= furthest_ && !good) {
      furthest_ = operand;
      furthest_form_ = form;
    }
    if (forms[form].optional && (!good || !matches(forms, form + 1, operand + 1))) {
      --operand; // left out
      continue;
    }
    if (forms[form].optional)
      return true;
    if (!good)
      return false;
  }
  if (operand == operands_.size())
    return true;
  if (operand >= furthest_) {
    furthest_ = operand;
    furthest_form_ = forms.size();
  }
  return false;
}

bool Checker::accepts(const OperandForm& form, const Operand& o) const {
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

bool Checker::accepts_pair(const OperandForm& form, const Operand& o) const {
  if (form.pair == Pair::none)
    return false;
  OperandForm predicate;
  predicate.kind = FormKind::destination;
  predicate.type = Type::pred;
  const auto pair = elements(o);
  const bool second = pair[1].kind == OperandKind::sink ? signature_.may_discard_pair
                                                        : accepts_scalar(predicate, pair[1], false);
  return second && accepts_vector(form, pair[0]);
}

// `{x}` for x, and x for `{x}`, where ptxas 13.0 reads them alike.
bool Checker::accepts_single(const OperandForm& form, const Operand& o) const {
  if (form.max_length == 0)
    return o.kind == OperandKind::vector && o.elements().count == 1 && accepts_elements(form, elements(o));
  return form.min_length == 1 && o.kind == OperandKind::reg && accepts_scalar(form, o, false);
}

bool Checker::accepts_vector(const OperandForm& form, const Operand& o) const {
  if (form.max_length == 0 && accepts_scalar(form, o, false))
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
  return all.size() >= form.min_length && all.size() <= form.max_length && accepts_elements(form, all);
}

bool is_small_float(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2;
}

// A register of any type: the vector's type is what counts.
bool Checker::accepts_element(const OperandForm& form, const Operand& o) const {
  if (o.negated)
    return false;
  if (o.kind != OperandKind::reg)
    return accepts_scalar(form, o, true) || (is_small_float(form.type) && !is_destination(form) &&
                                             (o.kind == OperandKind::integer || o.kind == OperandKind::real));
  const Register& r = s_.function->registers[o.id];
  return is_single_value(r, o.name);
}

// ptxas 13.0 takes integers for floating-point elements where no arithmetic depends on them.
bool Checker::moves_bits(const OperandForm& form, Type vector) const {
  const bool is_plain_float = form.type == Type::f16 || form.type == Type::f32 || form.type == Type::f64;
  return signature_.moves_vectors_as_bits && is_plain_float && !is_float(vector) &&
         size_bytes(vector) == size_bytes(form.type);
}

bool Checker::accepts_elements(const OperandForm& form, std::span<const Operand> all) const {
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

bool Checker::accepts_scalar(const OperandForm& form, const Operand& o, bool is_element) const {
  switch (o.kind) {
  case OperandKind::reg:
    return form.kind != FormKind::integer_only && accepts_register(form, o);
  case OperandKind::sink:
    return is_element ? (is_destination(form) && signature_.opcode != Opcode::wgmma) ||
                            signature_.opcode == Opcode::mov
                      : is_destination(form) && signature_.may_discard;
  case OperandKind::integer:
  case OperandKind::real:
    return !is_destination(form) && form.kind != FormKind::register_only &&
           accepts_constant(form, o, is_element);
  case OperandKind::special:
    return accepts_special(form, o, is_element);
  case OperandKind::symbol:
    return !is_element && accepts_symbol(form, o);
  default:
    return false;
  }
}

// A source of mov, of cvt between integers, and an element of every vector that is read.
bool Checker::accepts_special(const OperandForm& form, const Operand& o, bool is_element) const {
  const SpecialRegister special = special_register(o.name);
  if (is_element) // vector_type looks at its width
    return (form.kind == FormKind::any_source || form.kind == FormKind::source) && !special.is_vector() &&
           special.type != Type::pred;
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
bool Checker::accepts_video_selector(const OperandForm& form, const Operand& o) const {
  constexpr std::size_t operands_with_third_source = 4;
  return form.kind == FormKind::video_source ? selects_source(signature_.opcode, o.name)
                                             : operands_.size() == operands_with_third_source &&
                                                   selects_destination(signature_.opcode, o.name);
}

bool Checker::accepts_register(const OperandForm& form, const Operand& o) const {
  const Register& r = s_.function->registers[o.id];
  const bool is_video = form.kind == FormKind::video_source || form.kind == FormKind::video_destination;
  if (!o.name.empty() && !(is_video ? accepts_video_selector(form, o) : is_component(r, o.name)))
    return false;
  if (o.name.empty() && r.vector_length > 1)
    return false;
  return form.type == Type::none ? !is_opaque(r.type) : register_fits(r.type, form.type, form.wider);
}

// An address: a whole number of 32 or 64 bits. ptxas 13.0 takes a bare name only where an instruction makes
// addresses ("must be register"), but a name with an offset, which is a constant expression, everywhere.
bool Checker::accepts_symbol(const OperandForm& form, const Operand& o) const {
  const bool makes_addresses = form.kind == FormKind::any_source && signature_.opcode != Opcode::cvt;
  const bool is_source = form.kind == FormKind::any_source || form.kind == FormKind::source;
  return is_source && (makes_addresses || o.value != 0) &&
         (form.type == Type::none || (size_bytes(form.type) >= 4 && !is_float(form.type)));
}

bool Checker::accepts_constant(const OperandForm& form, const Operand& o, bool is_element) const {
  if (form.type == Type::none)
    return true;
  if (o.kind == OperandKind::integer)
    return !is_float(form.type);
  if (form.type == Type::f32 || form.type == Type::f64)
    return true;
  // A 0f literal is 32 bits wide, every other one 64.
  return is_untyped(form.type) && (is_element || form.type == (o.is_single ? Type::b32 : Type::b64));
}

std::string Checker::explain(std::span<const OperandForm> forms) const {
  if (furthest_ >= operands_.size() || furthest_form_ >= forms.size()) {
    std::size_t least = 0;
    for (const OperandForm& f : forms)
      least += f.optional ? 0 : 1;
    const std::string count =
        least == forms.size() ? fmt::format("{}", least) : fmt::format("{} to {}", least, forms.size());
    return fmt::format("'{}' takes {} operand{}, but {} {} given", signature_.text, count,
                       forms.size() == 1 ? "" : "s", operands_.size(), operands_.size() == 1 ? "is" : "are");
  }
  return fmt::format("operand {} of '{}' must be {}, but is {}", furthest_ + 1, signature_.text,
                     wanted(forms[furthest_form_]),
                     found(*s_.function, signature_.opcode, operands_[furthest_]));
}

bool check_constants(State& s, const Signature& signature, std::span<const Operand> operands) {
  for (const ImmediateRule& rule : signature.immediate_rules) {
    if (rule.operand >= operands.size())
      continue;
    const Operand& o = operands[rule.operand];
    if (const std::string why = broken(rule, signature.modifiers, o); !why.empty())
      return s.error(o.place, 1, fmt::format("operand {} of '{}' {}", rule.operand + 1, signature.text, why),
                     {"the hardware has no other values"});
  }
  return true;
}

} // namespace

bool check_operands(State& s, const Signature& signature, std::span<const Operand> operands, Place opcode) {
  std::string best;
  std::size_t furthest = 0;
  for (const std::vector<OperandForm>& forms : signature.operand_lists) {
    Checker checker(s, signature, operands);
    if (checker.all_fit(forms) || checker.matches(forms))
      return check_addresses(s, signature, operands) && check_constants(s, signature, operands);
    if (best.empty() || checker.furthest() > furthest) {
      best = checker.explain(forms);
      furthest = checker.furthest();
    }
  }
  std::vector<std::string> notes;
  constexpr std::size_t rows_shown = 3;
  for (std::size_t i = 0; i < std::min(signature.rows.size(), rows_shown); ++i)
    notes.push_back(fmt::format("the form is: {}", signature.rows[i]->text));
  const bool at_operand = furthest < operands.size();
  return s.error(at_operand ? operands[furthest].place : opcode, at_operand ? 1 : signature.text.size(),
                 std::move(best), std::move(notes));
}

} // namespace kerncast::ptx
