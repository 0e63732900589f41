// Why an opcode with its modifiers has no signature.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax_table.h"

namespace kerncast::ptx {

struct SignatureError {
  std::string message;
  std::vector<std::string> notes;
  std::size_t offset = 0; // of the characters at fault, in the opcode's text
  std::size_t length = 0;
};

// Every modifier that some row of the opcode has.
std::vector<std::string_view> modifiers_of(const SyntaxTable& table, Opcode opcode);

SignatureError unknown_opcode(std::string_view opcode);
// `modifier` is a part of `text`, the whole opcode.
SignatureError unknown_modifier(const SyntaxTable& table, std::string_view text, Opcode opcode,
                                std::string_view modifier);
SignatureError no_such_combination(const SyntaxTable& table, std::string_view text, Opcode opcode);

} // namespace kerncast::ptx
