#include "debug_info.h"

#include <fmt/format.h>

#include "constants.h"

namespace kerncast::ptx {
namespace {

constexpr std::uint64_t largest_number = UINT32_MAX;

// A number of a debugging directive: a bare literal, since the next one follows without a comma.
bool parse_number(State& s, std::string_view what, std::uint32_t& out) {
  const Token at = s.now;
  Constant c;
  if (!at.is(TokenKind::integer))
    return s.error_here(fmt::format("expected {}, but found {}", what, describe(at)));
  if (!parse_literal(s, c))
    return false;
  if (static_cast<std::uint64_t>(c.value) > largest_number)
    return s.error(at.place, at.text.size(), fmt::format("{} must be at most {}", what, largest_number));
  out = static_cast<std::uint32_t>(c.value);
  return true;
}

bool parse_position(State& s, SourceLine& out) {
  return parse_number(s, "the number of a file", out.file) && parse_number(s, "a line", out.line) &&
         parse_number(s, "a column", out.column);
}

// `, function_name LABEL + 4`, from behind the comma.
bool skip_function_name(State& s) {
  Token name;
  s.advance();
  if (!s.expect_word("the label of the function's name", name))
    return false;
  std::uint32_t offset = 0;
  return !s.accept('+') || parse_number(s, "an offset", offset);
}

} // namespace

bool parse_file(State& s) {
  SourceFileName file;
  s.advance();
  if (!parse_number(s, "the number of a file", file.number))
    return false;
  if (!s.now.is(TokenKind::string))
    return s.error_here(fmt::format("expected a file's name in quotes, but found {}", describe(s.now)));
  file.path = s.now.text;
  s.advance();
  for (const std::string_view what : {"a time stamp", "a file size"}) {
    if (!s.accept(','))
      break;
    if (!s.now.is(TokenKind::integer))
      return s.error_here(fmt::format("expected {}, but found {}", what, describe(s.now)));
    s.advance();
  }
  s.module.files.push_back(file);
  return true;
}

bool parse_loc(State& s) {
  SourceLine line;
  s.advance();
  if (!parse_position(s, line))
    return false;
  while (s.accept(',')) {
    SourceLine caller;
    if (s.now.is(TokenKind::word) && s.now.text == "function_name") {
      if (!skip_function_name(s))
        return false;
    } else if (s.now.is(TokenKind::word) && s.now.text == "inlined_at") {
      s.advance();
      if (!parse_position(s, caller))
        return false;
    } else
      return s.error_here(fmt::format("expected function_name or inlined_at, but found {}", describe(s.now)));
  }
  if (s.function != nullptr) {
    s.source_line = static_cast<std::uint32_t>(s.function->source_lines.size());
    s.function->source_lines.push_back(line);
  }
  return true;
}

bool parse_pragma(State& s, Function& f) {
  s.advance();
  do {
    if (!s.now.is(TokenKind::string))
      return s.error_here(fmt::format("expected a string after .pragma, but found {}", describe(s.now)));
    f.pragmas.push_back({s.now.text, static_cast<std::uint32_t>(f.instructions.size()), s.now.place});
    s.advance();
  } while (s.accept(','));
  return s.expect(';', "a pragma");
}

bool skip_section(State& s) {
  s.advance();
  if (!s.now.is(TokenKind::dot_word) && !s.now.is(TokenKind::word))
    return s.error_here(fmt::format("expected a section's name, but found {}", describe(s.now)));
  s.advance();
  if (!s.expect('{', "a section's name"))
    return false;
  for (; !s.now.is('}'); s.advance()) {
    const Token& t = s.now;
    const bool belongs = t.is(TokenKind::dot_word) || t.is(TokenKind::word) || t.is(TokenKind::integer) ||
                         t.is(TokenKind::string) || t.is(',') || t.is('+') || t.is('-') || t.is(':') ||
                         t.is(';');
    if (!belongs)
      return s.error_here(t.is(TokenKind::end)
                              ? "the section has no closing '}'"
                              : fmt::format("expected debugging data, but found {}", describe(t)));
  }
  s.advance();
  return true;
}

bool skip_old_dwarf(State& s) {
  const std::uint32_t line = s.now.place.line;
  while (s.now.place.line == line && !s.now.is(TokenKind::end))
    s.advance();
  return true;
}

} // namespace kerncast::ptx
