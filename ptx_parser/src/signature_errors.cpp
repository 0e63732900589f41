#include "signature_errors.h"

#include <algorithm>

#include <fmt/format.h>

#include "suggestion.h"

namespace kerncast::ptx {
namespace {

std::vector<std::string_view> all_opcodes() {
  return {
#define KERNCAST_OPCODE(identifier, text) text,
#include "ptx_parser/opcodes.def"
#undef KERNCAST_OPCODE
  };
}

// A few of the opcode's rows.
std::vector<std::string> forms_of(const SyntaxTable& table, Opcode opcode) {
  constexpr std::size_t rows_shown = 4;
  std::vector<std::string> notes;
  const auto rows = table.rows_for(opcode);
  for (std::size_t i = 0; i < std::min(rows.size(), rows_shown); ++i)
    notes.push_back(fmt::format("a form of '{}': {}", name(opcode), rows[i].text));
  if (rows.size() > rows_shown)
    notes.push_back(fmt::format("and {} more forms", rows.size() - rows_shown));
  return notes;
}

} // namespace

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
  return {fmt::format("unknown instruction '{}'", opcode),
          suggestion(opcode, known, "", "no instruction of PTX is called so or much like it"), 0,
          opcode.size()};
}

SignatureError unknown_modifier(const SyntaxTable& table, std::string_view text, Opcode opcode,
                                std::string_view modifier) {
  const std::vector<std::string_view> known = modifiers_of(table, opcode);
  SignatureError error{fmt::format("unknown modifier '.{}' for '{}'", modifier, name(opcode)),
                       suggestion(modifier, known, ".", ""),
                       static_cast<std::size_t>(modifier.data() - text.data()) - 1, modifier.size() + 1};
  if (error.notes.front().empty())
    error.notes = forms_of(table, opcode);
  return error;
}

SignatureError no_such_combination(const SyntaxTable& table, std::string_view text, Opcode opcode) {
  return {fmt::format("'{}' is no combination of modifiers that PTX has", text), forms_of(table, opcode), 0,
          text.size()};
}

} // namespace kerncast::ptx
