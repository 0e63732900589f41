#include "resolved_forms.h"

#include <algorithm>

#include "immediate_rules.h"
#include "texture_forms.h"

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

void resolve_lengths(OperandForm& form, std::span<const Modifier> modifiers) {
  if (form.max_length == OperandForm::by_geometry) {
    const Lengths lengths = derivative_lengths(modifiers);
    form.min_length = lengths.least;
    form.max_length = lengths.most;
    return;
  }
  form.min_length = resolved_length(form.min_length, modifiers);
  form.max_length = resolved_length(form.max_length, modifiers);
}

// Cache policies and masks are there with their modifier and else left out.
void resolve_companions(std::vector<OperandForm>& forms, std::span<const Modifier> modifiers) {
  const bool has_policy = has(modifiers, Modifier::L2_cache_hint);
  const bool has_mask = has(modifiers, Modifier::multicast_cluster) || has(modifiers, Modifier::cp_mask);
  std::erase_if(forms, [&](const OperandForm& form) {
    return (form.kind == FormKind::cache_policy && !has_policy) || (form.kind == FormKind::mask && !has_mask);
  });
  for (OperandForm& form : forms)
    if (form.kind == FormKind::cache_policy || form.kind == FormKind::mask) {
      form.kind = FormKind::source;
      form.optional = false;
    }
}

} // namespace

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
    resolve_lengths(form, modifiers);
  }
  // Half precision has one result, and only two kinds of tcgen05.mma scale the accumulator.
  if (row.opcode == Opcode::setp && (last == Type::f16 || last == Type::bf16))
    out.front().pair = Pair::none;
  if (has(modifiers, Modifier::kind_f8f6f4) && out.back().kind == FormKind::integer_only &&
      row.opcode == Opcode::tcgen05)
    out.pop_back();
  resolve_companions(out, modifiers);
  resolve_geometry(out, row.opcode, modifiers);
  return out;
}

} // namespace kerncast::ptx
