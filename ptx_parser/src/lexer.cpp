#include "lexer.h"

#include <array>

namespace kerncast::ptx {
namespace {

enum Class : std::uint8_t { other = 0, name_char = 1, digit = 2, name_start = 4, space = 8 };

constexpr std::array<std::uint8_t, 256> build_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) {
    classes[static_cast<std::size_t>(c)] = name_char | name_start;
    classes[static_cast<std::size_t>(c - 'a' + 'A')] = name_char | name_start;
  }
  for (int c = '0'; c <= '9'; ++c)
    classes[static_cast<std::size_t>(c)] = name_char | digit;
  classes['_'] = classes['$'] = name_char | name_start;
  classes['%'] = name_start;
  classes[' '] = classes['\t'] = classes['\r'] = classes['\n'] = space;
  return classes;
}
constexpr std::array<std::uint8_t, 256> classes = build_classes();

bool is(char c, Class wanted) { return (classes[static_cast<unsigned char>(c)] & wanted) != 0; }

} // namespace

Lexer::Lexer(std::string_view text)
    : cursor_(text.data()), end_(text.data() + text.size()), line_start_(text.data()) {}

Place Lexer::place_of(const char* p) const {
  return {line_, static_cast<std::uint32_t>(p - line_start_) + 1};
}

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

void Lexer::skip_space() {
  for (;;) {
    while (is(*cursor_, space)) {
      if (*cursor_ == '\n') {
        ++line_;
        line_start_ = cursor_ + 1;
      }
      ++cursor_;
    }
    if (*cursor_ == '/' && cursor_[1] == '/')
      skip_line();
    else if (*cursor_ == '/' && cursor_[1] == '*')
      skip_block_comment();
    else if (*cursor_ == '#') // #line, # 1 "file": the C preprocessor's line marks
      skip_line();
    else
      return;
  }
}

Token Lexer::token(TokenKind kind, const char* begin) {
  return {kind, {begin, static_cast<std::size_t>(cursor_ - begin)}, place_of(begin)};
}

// Name characters and `::` between them.
void Lexer::extend_name() {
  for (;;) {
    while (is(*cursor_, name_char))
      ++cursor_;
    if (*cursor_ != ':' || cursor_[1] != ':' || !is(cursor_[2], name_char))
      return;
    cursor_ += 2;
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

Token Lexer::number() {
  const char* const begin = cursor_;
  // Hexadecimal, binary and bit-exact floating literals have neither point nor exponent.
  const char second = static_cast<char>(cursor_[1] | 0x20);
  if (*cursor_ == '0' && (second == 'x' || second == 'b' || second == 'f' || second == 'd')) {
    while (is(*cursor_, name_char))
      ++cursor_;
    return token(second == 'f' || second == 'd' ? TokenKind::real : TokenKind::integer, begin);
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
  return token(kind, begin);
}

Token Lexer::string() {
  const char* const begin = cursor_++;
  while (cursor_ < end_ && *cursor_ != '"' && *cursor_ != '\n')
    cursor_ += (*cursor_ == '\\' && cursor_ + 1 < end_ && cursor_[1] != '\n') ? 2 : 1;
  if (cursor_ >= end_ || *cursor_ != '"') {
    give_up("unterminated string", begin);
    return token(TokenKind::end, cursor_);
  }
  ++cursor_;
  Token t = token(TokenKind::string, begin);
  t.text = t.text.substr(1, t.text.size() - 2);
  return t;
}

Token Lexer::next() {
  skip_space();
  const char* const begin = cursor_;
  const char c = *cursor_;
  if (is(c, name_start)) {
    // A lone `%` is the modulo operator of constant expressions.
    if (c == '%' && !is(cursor_[1], name_char)) {
      ++cursor_;
      return token(static_cast<TokenKind>('%'), begin);
    }
    ++cursor_;
    while (is(*cursor_, name_char))
      ++cursor_;
    return token(TokenKind::word, begin);
  }
  if (is(c, digit))
    return number();
  if (c == '.' && is(cursor_[1], name_char)) {
    ++cursor_;
    extend_name();
    Token t = token(TokenKind::dot_word, begin);
    t.text.remove_prefix(1);
    return t;
  }
  if (c == '"')
    return string();
  if (cursor_ >= end_)
    return token(TokenKind::end, begin);
  ++cursor_;
  constexpr std::string_view punctuation = "(){}[],;:+-*/~!&|^<>=?@.";
  return token(punctuation.find(c) != std::string_view::npos ? static_cast<TokenKind>(c) : TokenKind::invalid,
               begin);
}

bool Lexer::colon_follows() {
  if (*cursor_ == ':')
    return true;
  if (!is(*cursor_, space))
    return false;
  skip_space();
  return *cursor_ == ':';
}

std::string_view Lexer::rest_of_opcode(const Token& word) {
  const char* const begin = word.text.data();
  auto extend = [this] {
    while (*cursor_ == '.' && is(cursor_[1], name_char)) {
      ++cursor_;
      extend_name();
    }
  };
  const char* stop = begin + word.text.size();
  if (cursor_ == stop) { // colon_follows may have skipped the space behind the word
    extend();
    stop = cursor_;
  }
  const std::string_view unbroken(begin, static_cast<std::size_t>(stop - begin));
  if (is(*cursor_, space))
    skip_space();
  if (*cursor_ != '.' || !is(cursor_[1], name_char))
    return unbroken;
  joined_.assign(unbroken);
  while (*cursor_ == '.' && is(cursor_[1], name_char)) {
    const char* const part = cursor_;
    extend();
    joined_.append(part, cursor_);
    skip_space();
  }
  return joined_;
}

} // namespace kerncast::ptx
