#include "signature.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/suggest.h"

namespace kerncast::ptx {
namespace {

// Modifiers of one instruction against one row, in the row's order.
class OrderedMatch {
public:
  OrderedMatch(const SyntaxTable& table, const Row& row, std::span<const Modifier> modifiers)
      : table_(table), slots_(std::span(table.slots).subspan(row.slots.begin, row.slots.count)),
        modifiers_(modifiers) {}

  bool matches(std::size_t slot = 0, std::size_t modifier = 0) const {
    if (slot == slots_.size())
      return modifier == modifiers_.size();
    const std::size_t end = group_end(slot);
    if (slots_[slot].group != 0 && matches(end, modifier))
      return true;
    for (; slot < end; ++slot, ++modifier)
      if (modifier == modifiers_.size() || !accepts(slot, modifiers_[modifier]))
        return false;
    return matches(end, modifier);
  }

  // In any order, as ptxas reads them; types keep their order among themselves.
  bool matches_unordered() const {
    std::vector<bool> used(modifiers_.size());
    for (std::size_t slot = 0; slot < slots_.size();) {
      const std::size_t end = group_end(slot);
      const std::vector<bool> before = used;
      bool complete = true;
      for (; slot < end; ++slot)
        complete = take(slot, used) && complete;
      if (!complete && slots_[end - 1].group == 0)
        return false;
      if (!complete)
        used = before;
    }
    return std::find(used.begin(), used.end(), false) == used.end();
  }

private:
  bool accepts(std::size_t slot, Modifier modifier) const {
    const Range r = slots_[slot].alternatives;
    const auto names = std::span(table_.alternatives).subspan(r.begin, r.count);
    return std::find(names.begin(), names.end(), modifier) != names.end();
  }
  std::size_t group_end(std::size_t slot) const {
    const std::uint8_t group = slots_[slot].group;
    ++slot;
    while (group != 0 && slot < slots_.size() && slots_[slot].group == group)
      ++slot;
    return slot;
  }
  bool take(std::size_t slot, std::vector<bool>& used) const {
    for (std::size_t m = 0; m < modifiers_.size(); ++m)
      if (!used[m] && accepts(slot, modifiers_[m])) {
        used[m] = true;
        return true;
      }
    return false;
  }

  const SyntaxTable& table_;
  std::span<const ModifierSlot> slots_;
  std::span<const Modifier> modifiers_;
};

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

void collect_operand_lists(const SyntaxTable& table, Signature& signature, bool ordered) {
  for (const Row& row : table.rows_for(signature.opcode)) {
    const OrderedMatch match(table, row, signature.modifiers);
    if (ordered ? !match.matches() : !match.matches_unordered())
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
  collect_operand_lists(table, signature, true);
  if (signature.rows.empty())
    collect_operand_lists(table, signature, false);
  if (signature.rows.empty()) {
    error = no_such_combination(table, text, *opcode);
    return false;
  }
  signature.space = space_of(signature.modifiers);
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
