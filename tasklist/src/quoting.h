// Words of the text form: plain where they can be, else quoted with escapes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kerncast::tasklist {

// The word itself, or "..." with \", \\ and \xHH when it is empty or holds anything but letters, digits
// and _ $ . : @ + - / < > ( ) [ ] = * & , — or could be read as a mark of the grammar.
std::string quoted_word(std::string_view word);

struct Token {
  std::string text;
  bool is_quoted = false;   // never a keyword or mark
  std::uint32_t column = 1; // of its first character, counted from 1
  std::uint32_t length = 1; // characters in the line
};

struct TokenizedLine {
  std::vector<Token> tokens;
  std::optional<std::uint32_t> error_column; // an unfinished or malformed quoted word
};

// Splits at white space; # outside of quotes starts a comment.
TokenizedLine tokenize(std::string_view line);

} // namespace kerncast::tasklist
