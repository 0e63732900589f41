#include "recovery.h"

#include <algorithm>

#include "ptx_parser/opcode.h"
#include "specifiers.h"

namespace kerncast::ptx {
namespace {

// Where the token's characters begin.
const char* begin_of(const Token& t) { return t.text.data() - (t.is(TokenKind::dot_word) ? 1 : 0); }

bool begins_line(const State& s) {
  const char* const text = s.source.text().data();
  const char* p = begin_of(s.now);
  while (p != text && (p[-1] == ' ' || p[-1] == '\t'))
    --p;
  return p == text || p[-1] == '\n';
}

// `lexer` has just read the token.
bool begins_statement(Lexer& lexer, const Token& t) {
  constexpr std::string_view directives[] = {"loc", "pragma", "file", "section"};
  if (t.is(TokenKind::dot_word))
    return begins_variable(t) ||
           std::find(std::begin(directives), std::end(directives), t.text) != std::end(directives);
  return t.is('@') || (t.is(TokenKind::word) && (lexer.colon_follows() || find_opcode(t.text)));
}

// Does the brace at hand open a scope, and no vector?
bool opens_scope(const State& s) {
  Lexer ahead = s.lexer;
  Token next;
  ahead.next(next);
  return next.is('{') || next.is('}') || begins_statement(ahead, next);
}

// Does the `}` at hand end the scope, with so many braces open, of which the first ones are a vector's? A
// vector that lost its own ends with its line.
bool ends_scope(const State& s, std::uint32_t open, std::uint32_t of_operands) {
  return open == 0 || (open == of_operands && begins_line(s));
}

} // namespace

bool begins_next_function(const Token& t) {
  return t.is_directive("entry") || t.is_directive("func") || t.is_directive("visible") ||
         t.is_directive("version");
}

bool begins_statement_line(State& s) {
  return begins_line(s) && (s.now.is('{') ? opens_scope(s) : begins_statement(s.lexer, s.now));
}

void skip_statement(State& s, const Token& first) {
  const std::uint32_t of_operands = s.open_braces;
  std::uint32_t braces = of_operands;
  for (; !s.now.is(TokenKind::end); s.advance()) {
    const bool is_first = s.now.text.data() == first.text.data();
    if (s.accept(';') || begins_next_function(s.now) || (!is_first && begins_statement_line(s)))
      return;
    if (s.now.is('{'))
      ++braces;
    else if (s.now.is('}') && ends_scope(s, braces--, of_operands))
      return;
  }
}

void note_misdeclared(State& s, const Token& first) {
  const std::string_view text = s.source.text();
  Lexer lexer(text.substr(static_cast<std::size_t>(begin_of(first) - text.data())));
  Token t;
  for (lexer.next(t); t.text.data() != s.now.text.data(); lexer.next(t)) {
    // Behind '=' stand names that are used.
    if (t.is(TokenKind::end) || t.is(';') || t.is('{') || t.is('='))
      return;
    if (t.is(TokenKind::word))
      s.misdeclare(t.text, *skip_blanks(lexer.cursor()) == '<');
  }
}

void note_misdeclared_in_body(State& s, const Token& first) {
  const char* const behind = skip_blanks(first.text.data() + first.text.size());
  if (first.is(TokenKind::dot_word) || (first.is(TokenKind::word) && *behind == ':'))
    note_misdeclared(s, first);
}

} // namespace kerncast::ptx
