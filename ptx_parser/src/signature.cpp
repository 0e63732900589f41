#include "signature.h"

#include <algorithm>

#include <fmt/format.h>

#include "address_check.h"
#include "combinations.h"
#include "modifier_match.h"
#include "resolved_forms.h"

namespace kerncast::ptx {
namespace {

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
bool work_out(std::string_view text, std::uint32_t version, Signature& signature, SignatureError& error) {
  const SyntaxTable& table = syntax_table();
  const std::vector<std::string_view> parts = split_at_dots(text);
  const auto opcode = find_opcode(parts.front());
  if (!opcode) {
    error = unknown_opcode(parts.front());
    return false;
  }
  signature.opcode = *opcode;
  // No row has half as many; looking through them takes time with the square of their number.
  constexpr std::size_t most_modifiers = 40;
  if (parts.size() > most_modifiers) {
    error = {fmt::format("an instruction with {} modifiers", parts.size() - 1),
             {fmt::format("'{}' has a few at most", parts.front())},
             0,
             parts.front().size()};
    return false;
  }
  const std::vector<std::string_view> known = modifiers_of(table, *opcode);
  for (const std::string_view part : std::span(parts).subspan(1)) {
    if (std::find(known.begin(), known.end(), part) == known.end()) {
      error = unknown_modifier(table, text, *opcode, part);
      return false;
    }
    signature.modifiers.push_back(*find_modifier(part));
  }
  find_rows(table, signature);
  if (signature.rows.empty()) {
    error = no_such_combination(table, text, *opcode);
    return false;
  }
  if (auto wrong = wrong_combination(text, *opcode, signature.modifiers, version)) {
    error = std::move(*wrong);
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
  if (!work_out(opcode, offer_.version, signature, error))
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
