#include "lexer.h"

namespace kerncast::ptx {

Lexer::Lexer(std::string_view text)
    : cursor_(text.data()), end_(text.data() + text.size()), line_start_(text.data()) {}

Place Lexer::place() const { return place_of(cursor_); }

void Lexer::give_up(const char* message, const char* at) {
  error_ = message;
  error_place_ = place_of(at);
  cursor_ = end_;
}

void Lexer::skip_line() {
  while (cursor_ < end_ && *cursor_ != '\n')
    ++cursor_;
}

void Lexer::skip_block_comment() {
  const char* const begin = cursor_;
  const Place begin_place = place_of(begin);
  for (cursor_ += 2; cursor_ < end_; ++cursor_) {
    if (*cursor_ == '\n') {
      ++line_;
      line_start_ = cursor_ + 1;
    } else if (*cursor_ == '*' && cursor_[1] == '/') {
      cursor_ += 2;
      return;
    }
  }
  give_up("unterminated comment", begin);
  error_place_ = begin_place;
}

// `# 7 "file"` or `#line 7 "file"`, with numbers behind it or not, up to the end of the line.
bool Lexer::is_line_mark(const char* p) {
  const auto skip_number = [&p] {
    const char* const begin = p;
    while (is(*p, digit))
      ++p;
    const bool is_number = p != begin;
    p = skip_blanks(p);
    return is_number;
  };
  constexpr std::string_view keyword = "line";
  p = skip_blanks(p + 1);
  if (std::string_view(p, behind_name(p)) == keyword)
    p = skip_blanks(p + keyword.size());
  if (!skip_number() || *p != '"')
    return false;
  do
    ++p;
  while (*p != '"' && *p != '\n' && *p != '\0');
  if (*p != '"')
    return false;
  p = skip_blanks(p + 1);
  while (skip_number())
    ;
  return *p == '\n' || *p == '\r' || *p == '\0';
}

void Lexer::skip_comments() {
  while (*cursor_ == '/' || *cursor_ == '#') {
    if (*cursor_ == '#' ? is_line_mark(cursor_) : cursor_[1] == '/')
      skip_line();
    else if (*cursor_ == '/' && cursor_[1] == '*')
      skip_block_comment();
    else
      return;
    skip_white_space();
  }
}

// Behind name characters and `::` between them.
const char* Lexer::behind_long_name(const char* p) {
  for (;;) {
    p = behind_name(p);
    if (*p != ':' || p[1] != ':' || !is(p[2], name_char))
      return p;
    p += 2;
  }
}

void Lexer::skip_digits() {
  while (is(*cursor_, digit))
    ++cursor_;
}

// Digits may follow an exponent's `e` directly or behind a sign.
bool begins_exponent(const char* p) {
  if ((*p | 0x20) != 'e')
    return false;
  const bool is_signed = p[1] == '+' || p[1] == '-';
  return is(p[is_signed ? 2 : 1], digit);
}

void Lexer::number(Token& token) {
  const char* const begin = cursor_;
  // Hexadecimal, binary and bit-exact floating literals have neither point nor exponent.
  const char second = static_cast<char>(cursor_[1] | 0x20);
  if (*cursor_ == '0' && (second == 'x' || second == 'b' || second == 'f' || second == 'd')) {
    while (is(*cursor_, name_char))
      ++cursor_;
    set(token, second == 'f' || second == 'd' ? TokenKind::real : TokenKind::integer, begin);
    return;
  }
  TokenKind kind = TokenKind::integer;
  skip_digits();
  if (*cursor_ == '.') {
    kind = TokenKind::real;
    ++cursor_;
    skip_digits();
  }
  if (begins_exponent(cursor_)) {
    kind = TokenKind::real;
    cursor_ += 2; // the e and a sign or the first digit
  }
  while (is(*cursor_, name_char)) // suffixes; wrong ones are the literal parser's to report
    ++cursor_;
  set(token, kind, begin);
}

void Lexer::string(Token& token) {
  const char* const begin = cursor_++;
  while (cursor_ < end_ && *cursor_ != '"' && *cursor_ != '\n')
    cursor_ += (*cursor_ == '\\' && cursor_ + 1 < end_ && cursor_[1] != '\n') ? 2 : 1;
  if (cursor_ >= end_ || *cursor_ != '"') {
    give_up("unterminated string", begin);
    set(token, TokenKind::end, cursor_);
    return;
  }
  ++cursor_;
  set(token, TokenKind::string, begin);
  token.text = token.text.substr(1, token.text.size() - 2);
}

// Literals, directives, strings, names of one character, the end; `cursor_` is at the token.
void Lexer::next_rare(Token& token) {
  const char* const begin = cursor_;
  const char c = *begin;
  if (is(c, digit))
    return number(token);
  if (c == '.' && is(begin[1], name_char)) {
    cursor_ = behind_long_name(begin + 1);
    set(token, TokenKind::dot_word, begin);
    token.text.remove_prefix(1);
    return;
  }
  if (c == '"')
    return string(token);
  if (cursor_ >= end_)
    return set(token, TokenKind::end, begin);
  ++cursor_;
  // `$` and `%` alone are no names; `_` is what discards a result.
  if (is(c, name_start) && c != '%' && c != '$')
    return set(token, TokenKind::word, begin);
  const bool is_operator = c == '%' || c == '/' || c == '.';
  set(token, is_operator ? static_cast<TokenKind>(c) : TokenKind::invalid, begin);
}

// Behind the modifiers at `p`, each a dot and a name.
const char* Lexer::behind_modifiers(const char* p) {
  while (*p == '.' && is(p[1], name_char))
    p = behind_long_name(p + 2);
  return p;
}

std::string_view Lexer::rest_of_opcode(const Token& word) {
  const char* const begin = word.text.data();
  const char* stop = begin + word.text.size();
  if (cursor_ == stop) // colon_follows may have skipped the space behind the word
    cursor_ = stop = behind_modifiers(stop);
  const std::string_view unbroken(begin, static_cast<std::size_t>(stop - begin));
  if (begins_gap(*cursor_))
    skip_space();
  if (*cursor_ != '.' || !is(cursor_[1], name_char))
    return unbroken;
  joined_.assign(unbroken);
  while (*cursor_ == '.' && is(cursor_[1], name_char)) {
    const char* const part = cursor_;
    cursor_ = behind_modifiers(cursor_);
    joined_.append(part, cursor_);
    skip_space();
  }
  return joined_;
}

Place Lexer::place_in_opcode(const Token& word, std::size_t offset) const {
  Lexer again({word.text.data(), static_cast<std::size_t>(end_ - word.text.data())});
  again.line_ = word.place.line;
  again.line_start_ = word.text.data() - (word.place.column - 1);
  const char* part = word.text.data();
  again.cursor_ = behind_modifiers(part + word.text.size());
  while (offset >= static_cast<std::size_t>(again.cursor_ - part) && part != again.cursor_) {
    offset -= static_cast<std::size_t>(again.cursor_ - part);
    again.skip_space();
    part = again.cursor_;
    again.cursor_ = behind_modifiers(part);
  }
  return again.place_of(part + offset);
}

} // namespace kerncast::ptx
