// PTX text to tokens (PTX ISA, section 4). No allocation per token: a token is a view into the text.
//
// Left to the parser: which words are opcodes, registers or labels, and the values of literals.
#pragma once

#include <array>
#include <cstddef>
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

// What a character can be in a token; several at once.
enum CharacterClass : std::uint8_t {
  name_char = 1,
  digit = 2,
  name_start = 4,
  space = 8,
  punctuation = 16,
  letter = 32 // name_char, but no digit
};

constexpr std::array<std::uint8_t, 256> build_character_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) {
    classes[static_cast<std::size_t>(c)] = name_char | name_start | letter;
    classes[static_cast<std::size_t>(c - 'a' + 'A')] = name_char | name_start | letter;
  }
  for (int c = '0'; c <= '9'; ++c)
    classes[static_cast<std::size_t>(c)] = name_char | digit;
  classes['_'] = classes['$'] = name_char | name_start | letter;
  classes['%'] = name_start; // and the modulo operator of constant expressions
  classes[' '] = classes['\t'] = classes['\r'] = classes['\n'] = classes['\f'] = space;
  for (const char c : std::string_view("(){}[],;:+-*~!&|^<>=?@"))
    classes[static_cast<std::size_t>(c)] = punctuation;
  return classes;
}
inline constexpr std::array<std::uint8_t, 256> character_classes = build_character_classes();

inline bool is(char c, CharacterClass wanted) {
  return (character_classes[static_cast<unsigned char>(c)] & wanted) != 0;
}

// A decimal number of at most nine digits, without leading zeros; `p` comes to lie behind its digits.
inline bool read_decimal(const char*& p, std::uint32_t& out) {
  constexpr std::ptrdiff_t most_digits = 9;
  const char* const begin = p;
  std::uint32_t value = 0;
  for (; is(*p, digit); ++p)
    value = value * 10 + static_cast<std::uint32_t>(*p - '0');
  out = value;
  const std::ptrdiff_t digits = p - begin;
  return digits == 1 || (digits > 1 && digits <= most_digits && *begin != '0');
}

inline const char* skip_blanks(const char* p) {
  while (*p == ' ' || *p == '\t')
    ++p;
  return p;
}

class Lexer {
public:
  // `text` must be followed by a NUL character and hold none itself.
  explicit Lexer(std::string_view text);

  // Names and most punctuation are read here, everything else out of line.
  void next(Token& token) {
    skip_space();
    const char* const begin = cursor_;
    if (is(*begin, punctuation)) {
      ++cursor_;
      set(token, static_cast<TokenKind>(*begin), begin);
    } else if (is(*begin, name_start) && is(begin[1], name_char)) {
      cursor_ = behind_name(begin + 2);
      set(token, TokenKind::word, begin);
    } else
      next_rare(token);
  }
  // With `word` just read: is it followed by the colon of a label?
  bool colon_follows() {
    if (begins_gap(*cursor_))
      skip_space();
    return *cursor_ == ':';
  }
  // With the first word of an instruction just read: the whole opcode with its modifiers, "ld.global.f32".
  // White space and comments before a dot are left out. The view is valid until the next call.
  std::string_view rest_of_opcode(const Token& word);
  // Where the text has the character at `offset` of what rest_of_opcode returned for this word.
  Place place_in_opcode(const Token& word, std::size_t offset) const;
  // The text behind the last token.
  const char* cursor() const { return cursor_; }
  // Goes on at `p`, which lies behind the cursor in the same line.
  void skip_to(const char* p) { cursor_ = p; }
  // Of a character of the line at hand.
  Place place_of(const char* p) const { return {line_, static_cast<std::uint32_t>(p - line_start_) + 1}; }
  // Position just behind the last token, for recovery.
  Place place() const;
  std::size_t characters_left() const { return static_cast<std::size_t>(end_ - cursor_); }
  // Ends the token stream here.
  void stop() { cursor_ = end_; }

  // Why the text ended early (an unterminated comment or string); nullptr if it did not.
  const char* error() const { return error_; }
  Place error_place() const { return error_place_; }

private:
  void skip_white_space() {
    const char* p = cursor_;
    for (; is(*p, space); ++p)
      if (*p == '\n') {
        ++line_;
        line_start_ = p + 1;
      }
    cursor_ = p;
  }
  static bool begins_gap(char c) { return is(c, space) || c == '/' || c == '#'; }
  // White space, comments and the C preprocessor's line marks (#line 1 "file", # 1 "file"), which ptxas 13.0
  // takes anywhere in a line.
  void skip_space() {
    skip_white_space();
    if (*cursor_ == '/' || *cursor_ == '#')
      skip_comments();
  }
  static const char* behind_name(const char* p) {
    while (is(*p, name_char))
      ++p;
    return p;
  }
  void set(Token& token, TokenKind kind, const char* begin) const {
    token.kind = kind;
    token.text = {begin, static_cast<std::size_t>(cursor_ - begin)};
    token.place = place_of(begin);
  }

  void next_rare(Token& token);
  void skip_comments();
  void skip_block_comment();
  static bool is_line_mark(const char* p);
  void skip_line();
  void skip_digits();
  void give_up(const char* message, const char* at);
  void number(Token& token);
  void string(Token& token);
  static const char* behind_long_name(const char* p);
  static const char* behind_modifiers(const char* p);

  const char* cursor_ = nullptr;
  const char* end_ = nullptr;
  const char* line_start_ = nullptr;
  std::uint32_t line_ = 1;
  const char* error_ = nullptr;
  Place error_place_;
  std::string joined_; // an opcode written with spaces
};

} // namespace kerncast::ptx
