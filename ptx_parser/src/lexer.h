// PTX text to tokens (PTX ISA, section 4). No allocation per token: a token is a view into the text.
//
// Left to the parser: which words are opcodes, registers or labels, and the values of literals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/diagnostics.h"

namespace kerncast::ptx {

// Punctuation is its own character, so that `token.is('{')` reads like the manual.
enum class TokenKind : std::uint8_t {
  end = 0,
  word = 128, // add, %r1, $L__BB0_2, _
  dot_word,   // .visible, .shared::cta, .2d, text without the dot; also .5, which parse_literal reads
  integer,    // 12, 0x1F, 017, 0b101, with or without the suffix U
  real,       // 1.5, 1e3, 0f3F800000, 0d3FF0000000000000
  string,     // "..." without its quotes
  invalid,    // a character that no PTX token begins with
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  Place place;
  bool is(char punctuation) const {
    return kind == static_cast<TokenKind>(static_cast<unsigned char>(punctuation));
  }
  bool is(TokenKind k) const { return kind == k; }
  bool is_directive(std::string_view name) const { return kind == TokenKind::dot_word && text == name; }
};

class Lexer {
public:
  // `text` must be followed by a NUL character and hold none itself.
  explicit Lexer(std::string_view text);

  Token next();
  // With `word` just read: is it followed by the colon of a label?
  bool colon_follows();
  // With the first word of an instruction just read: the whole opcode with its modifiers, "ld.global.f32".
  // White space before a dot is left out. The view is valid until the next call.
  std::string_view rest_of_opcode(const Token& word);
  // Position just behind the last token, for recovery.
  Place place() const;
  // Ends the token stream here.
  void stop() { cursor_ = end_; }

  // Why the text ended early (an unterminated comment or string); nullptr if it did not.
  const char* error() const { return error_; }
  Place error_place() const { return error_place_; }

private:
  void skip_space();
  void skip_block_comment();
  void skip_line();
  void skip_digits();
  void give_up(const char* message, const char* at);
  Token token(TokenKind kind, const char* begin);
  Token number();
  Token string();
  void extend_name();
  Place place_of(const char* p) const;

  const char* cursor_ = nullptr;
  const char* end_ = nullptr;
  const char* line_start_ = nullptr;
  std::uint32_t line_ = 1;
  const char* error_ = nullptr;
  Place error_place_;
  std::string joined_; // an opcode written with spaces
};

} // namespace kerncast::ptx
