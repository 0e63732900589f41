#include "signature.h"

#include <algorithm>

#include <fmt/format.h>

#include "address_check.h"
#include "modifier_match.h"
#include "support/suggest.h"

namespace kerncast::ptx {
namespace {

Type twice_as_wide(Type type) {
  switch (type) {
  case Type::u16:
    return Type::u32;
  case Type::s16:
    return Type::s32;
  case Type::u32:
    return Type::u64;
  case Type::s32:
    return Type::s64;
  default:
    return type;
  }
}

// The number that a modifier's name has behind `before`: 104 of m64n104k16 behind "n", 0 if it has none.
std::uint32_t number_behind(std::string_view modifier, char before) {
  std::size_t at = modifier.find(before);
  std::uint32_t number = 0;
  while (at != std::string_view::npos && ++at < modifier.size() && modifier[at] >= '0' && modifier[at] <= '9')
    number = number * 10 + static_cast<std::uint32_t>(modifier[at] - '0');
  return number;
}

// `letter` and a number, such as x16, among the modifiers; 0 without one.
std::uint32_t count_named(std::span<const Modifier> modifiers, char letter) {
  for (const Modifier m : modifiers) {
    const std::string_view text = name(m);
    if (text.front() == letter && text.size() > 1 && text[1] >= '0' && text[1] <= '9' &&
        text.find_first_not_of("0123456789", 1) == std::string_view::npos)
      return number_behind(text, letter);
  }
  return 0;
}

// N of the first .mMnNkK.
std::uint32_t columns_named(std::span<const Modifier> modifiers) {
  for (const Modifier m : modifiers)
    if (const std::string_view text = name(m); text.front() == 'm' && number_behind(text, 'm') != 0)
      return number_behind(text, 'n');
  return 0;
}

// A vector's length under one of OperandForm's rules; `length` itself otherwise.
std::uint8_t resolved_length(std::uint8_t length, std::span<const Modifier> modifiers) {
  switch (length) {
  case OperandForm::by_modifier:
    return static_cast<std::uint8_t>(count_named(modifiers, 'v'));
  case OperandForm::by_count:
    return static_cast<std::uint8_t>(count_named(modifiers, 'x'));
  case OperandForm::twice_by_count:
    return static_cast<std::uint8_t>(2 * count_named(modifiers, 'x'));
  case OperandForm::four_times_by_count:
    return static_cast<std::uint8_t>(4 * count_named(modifiers, 'x'));
  case OperandForm::half_the_columns:
    return static_cast<std::uint8_t>(columns_named(modifiers) / 2);
  case OperandForm::quarter_of_the_columns:
    return static_cast<std::uint8_t>(columns_named(modifiers) / 4);
  default:
    return length;
  }
}

Space space_of(std::span<const Modifier> modifiers) {
  for (const Modifier m : modifiers)
    switch (m) {
    case Modifier::global:
      return Space::global;
    case Modifier::shared:
    case Modifier::shared_cta:
    case Modifier::shared_cluster:
      return Space::shared;
    case Modifier::local:
      return Space::local;
    case Modifier::const_:
      return Space::constant;
    case Modifier::param:
    case Modifier::param_entry:
    case Modifier::param_func:
      return Space::param;
    default:
      break;
    }
  return Space::none;
}

bool has_any(std::span<const Modifier> modifiers, std::initializer_list<Modifier> wanted) {
  return std::find_first_of(modifiers.begin(), modifiers.end(), wanted.begin(), wanted.end()) !=
         modifiers.end();
}

// Cache policies and masks are there with their modifier and else left out.
void resolve_companions(std::vector<OperandForm>& forms, std::span<const Modifier> modifiers) {
  const bool has_policy = has_any(modifiers, {Modifier::L2_cache_hint});
  const bool has_mask = has_any(modifiers, {Modifier::multicast_cluster, Modifier::cp_mask});
  std::erase_if(forms, [&](const OperandForm& form) {
    return (form.kind == FormKind::cache_policy && !has_policy) || (form.kind == FormKind::mask && !has_mask);
  });
  for (OperandForm& form : forms)
    if (form.kind == FormKind::cache_policy || form.kind == FormKind::mask) {
      form.kind = FormKind::source;
      form.optional = false;
    }
}

std::vector<OperandForm> resolved_forms(const SyntaxTable& table, const Row& row,
                                        std::span<const Modifier> modifiers) {
  std::vector<Type> types;
  for (const Modifier m : modifiers)
    if (register_type(m) != Type::none)
      types.push_back(register_type(m));
  const auto nth = [&](std::size_t n) { return n < types.size() ? types[n] : Type::none; };
  const Type last = types.empty() ? Type::none : types.back();
  const auto forms = std::span(table.forms).subspan(row.forms.begin, row.forms.count);
  std::vector<OperandForm> out(forms.begin(), forms.end());
  for (OperandForm& form : out) {
    switch (form.rule) {
    case TypeRule::last:
      form.type = last;
      break;
    case TypeRule::first:
      form.type = nth(0);
      break;
    case TypeRule::second:
      form.type = nth(1);
      break;
    case TypeRule::wide:
      form.type = twice_as_wide(last);
      break;
    case TypeRule::fixed:
    case TypeRule::any:
      break;
    }
    form.min_length = resolved_length(form.min_length, modifiers);
    form.max_length = resolved_length(form.max_length, modifiers);
  }
  resolve_companions(out, modifiers);
  return out;
}

std::vector<std::string_view> split_at_dots(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t dot = text.find('.');
    parts.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos)
      return parts;
    text.remove_prefix(dot + 1);
  }
}

std::vector<std::string_view> all_opcodes() {
  return {
#define KERNCAST_OPCODE(identifier, text) text,
#include "ptx_parser/opcodes.def"
#undef KERNCAST_OPCODE
  };
}

std::vector<std::string> suggestion(const std::string& near, std::string_view prefix) {
  if (near.empty())
    return {};
  return {fmt::format("did you mean '{}{}'?", prefix, near)};
}

// Every modifier that some row of the opcode has.
std::vector<std::string_view> modifiers_of(const SyntaxTable& table, Opcode opcode) {
  std::vector<std::string_view> names;
  for (const Row& row : table.rows_for(opcode))
    for (const ModifierSlot& slot : std::span(table.slots).subspan(row.slots.begin, row.slots.count))
      for (std::uint32_t i = 0; i < slot.alternatives.count; ++i)
        names.push_back(name(table.alternatives[slot.alternatives.begin + i]));
  return names;
}

SignatureError unknown_opcode(std::string_view opcode) {
  const std::vector<std::string_view> known = all_opcodes();
  return {fmt::format("unknown instruction '{}'", opcode), suggestion(nearest(opcode, known), ""), 0,
          opcode.size()};
}

SignatureError unknown_modifier(std::string_view text, std::string_view opcode, std::string_view modifier,
                                std::span<const std::string_view> known) {
  return {fmt::format("unknown modifier '.{}' for '{}'", modifier, opcode),
          suggestion(nearest(modifier, known), "."),
          static_cast<std::size_t>(modifier.data() - text.data()) - 1, modifier.size() + 1};
}

SignatureError no_such_combination(const SyntaxTable& table, std::string_view text, Opcode opcode) {
  constexpr std::size_t rows_shown = 4;
  SignatureError error{
      fmt::format("'{}' is no combination of modifiers that PTX has", text), {}, 0, text.size()};
  const auto rows = table.rows_for(opcode);
  for (std::size_t i = 0; i < std::min(rows.size(), rows_shown); ++i)
    error.notes.push_back(fmt::format("a form of '{}': {}", name(opcode), rows[i].text));
  if (rows.size() > rows_shown)
    error.notes.push_back(fmt::format("and {} more forms", rows.size() - rows_shown));
  return error;
}

// Instructions whose result ptxas 13.0 lets go to `_`; elsewhere `_` is one of a vector's elements only.
bool may_discard(const Signature& signature) {
  switch (signature.opcode) {
  case Opcode::atom:
  case Opcode::elect:
  case Opcode::lop3:
  case Opcode::setp:
    return true;
  case Opcode::match:
    return has(signature.modifiers, Modifier::all);
  case Opcode::mbarrier:
    return has(signature.modifiers, Modifier::arrive) || has(signature.modifiers, Modifier::arrive_drop);
  default:
    return false;
  }
}

// ld.f32 {x} is ld.f32 x; suld and sust write a vector of one with and without braces.
bool braces_are_optional(const Signature& signature) {
  switch (signature.opcode) {
  case Opcode::ld:
  case Opcode::ldu:
  case Opcode::st:
  case Opcode::suld:
  case Opcode::sust:
    return true;
  case Opcode::multimem:
    return has_any(signature.modifiers, {Modifier::st, Modifier::ld_reduce});
  case Opcode::mov:
    return is_untyped(type_of(signature.modifiers.back()));
  default:
    return false;
  }
}

bool moves_vectors_as_bits(Opcode opcode) {
  return opcode != Opcode::mma && opcode != Opcode::wmma && opcode != Opcode::wgmma && opcode != Opcode::cvt;
}

using Match = bool (*)(const SyntaxTable&, const Row&, std::span<const Modifier>);

void collect_operand_lists(const SyntaxTable& table, Signature& signature, Match matches) {
  for (const Row& row : table.rows_for(signature.opcode)) {
    if (!matches(table, row, signature.modifiers))
      continue;
    signature.own_operands = row.own_operands;
    std::vector<OperandForm> forms = resolved_forms(table, row, signature.modifiers);
    if (std::find(signature.operand_lists.begin(), signature.operand_lists.end(), forms) !=
        signature.operand_lists.end())
      continue;
    signature.operand_lists.push_back(std::move(forms));
    signature.rows.push_back(&row);
  }
}

// Leaves the first of each flag that is written more than once; false if there is none.
bool drop_repeated_flags(std::vector<Modifier>& modifiers) {
  std::vector<Modifier> kept;
  for (const Modifier m : modifiers)
    if (!may_be_repeated(m) || std::find(kept.begin(), kept.end(), m) == kept.end())
      kept.push_back(m);
  kept.swap(modifiers);
  return modifiers.size() != kept.size();
}

void find_rows(const SyntaxTable& table, Signature& signature) {
  collect_operand_lists(table, signature, matches_in_order);
  if (signature.rows.empty())
    collect_operand_lists(table, signature, matches_in_any_order);
  if (signature.rows.empty() && drop_repeated_flags(signature.modifiers))
    find_rows(table, signature);
}

// Fills in everything but `text`; false with `error` if the opcode is not PTX.
bool work_out(std::string_view text, Signature& signature, SignatureError& error) {
  const SyntaxTable& table = syntax_table();
  const std::vector<std::string_view> parts = split_at_dots(text);
  const auto opcode = find_opcode(parts.front());
  if (!opcode) {
    error = unknown_opcode(parts.front());
    return false;
  }
  signature.opcode = *opcode;
  const std::vector<std::string_view> known = modifiers_of(table, *opcode);
  for (const std::string_view part : std::span(parts).subspan(1)) {
    if (std::find(known.begin(), known.end(), part) == known.end()) {
      error = unknown_modifier(text, parts.front(), part, known);
      return false;
    }
    signature.modifiers.push_back(*find_modifier(part));
  }
  find_rows(table, signature);
  if (signature.rows.empty()) {
    error = no_such_combination(table, text, *opcode);
    return false;
  }
  signature.space = space_of(signature.modifiers);
  signature.immediate_rules = immediate_rules(signature.opcode);
  signature.coordinates = coordinates_of(signature);
  signature.may_discard = may_discard(signature);
  signature.braces_are_optional = braces_are_optional(signature);
  signature.moves_vectors_as_bits = moves_vectors_as_bits(signature.opcode);
  signature.may_discard_pair = signature.opcode == Opcode::setp || signature.opcode == Opcode::shfl ||
                               signature.opcode == Opcode::match;
  return true;
}

} // namespace

Signature* SignatureCache::add(std::string_view opcode, std::size_t slot, SignatureError& error) {
  Signature signature;
  signature.text = opcode;
  if (!work_out(opcode, signature, error))
    return nullptr;
  signature.lack = lack_of(signature.opcode, signature.modifiers, offer_);
  Signature& kept = signatures_.emplace_back(std::move(signature));
  const NameBits bits = bits_of(opcode);
  slots_[slot] = {bits, hash_of(opcode, bits), &kept, opcode.size()};
  if (signatures_.size() * 2 > slots_.size())
    grow();
  return &kept;
}

void SignatureCache::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& s : old) {
    if (s.signature == nullptr)
      continue;
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = s.hash & mask;
    while (slots_[slot].signature != nullptr)
      slot = (slot + 1) & mask;
    slots_[slot] = s;
  }
}

} // namespace kerncast::ptx
