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
    return s.error_here(fmt::format("expected {}, but found {}", what, describe(at)),
                        {"a .loc has the form: .loc FILE LINE COLUMN"});
  if (!parse_literal(s, c))
    return false;
  if (static_cast<std::uint64_t>(c.value) > largest_number)
    return s.error(at.place, at.text.size(), fmt::format("{} must be at most {}", what, largest_number),
                   {"write a smaller number, or leave the directive out"});
  out = static_cast<std::uint32_t>(c.value);
  return true;
}

// FILE LINE COLUMN
template <class Position> bool parse_position(State& s, Position& out) {
  return parse_number(s, "the number of a file", out.file) && parse_number(s, "a line", out.line) &&
         parse_number(s, "a column", out.column);
}

// `function_name LABEL + 4` or `inlined_at FILE LINE COLUMN`, from behind the comma.
bool parse_inlined(State& s, InlinedPlace& out) {
  const Token at = s.now;
  const bool is_name = at.is(TokenKind::word) && at.text == "function_name";
  if (!is_name && !(at.is(TokenKind::word) && at.text == "inlined_at"))
    return s.error_here(fmt::format("expected function_name or inlined_at, but found {}", describe(at)),
                        {"a .loc ends with: , function_name LABEL, inlined_at FILE LINE COLUMN"});
  if (is_name ? !out.function_name.empty() : out.has_place)
    return s.error_here(fmt::format("{} is given twice", at.text), {"leave the second one out"});
  s.advance();
  if (!is_name) {
    out.has_place = true;
    return parse_position(s, out);
  }
  Token name;
  if (!s.expect_word("the label of the function's name", name))
    return false;
  out.function_name = name.text;
  return !s.accept('+') || parse_number(s, "an offset", out.function_name_offset);
}

// An integer kept as written, if a comma announces one.
bool parse_optional_integer(State& s, std::string_view what, std::string_view& out) {
  if (!s.accept(','))
    return true;
  if (!s.now.is(TokenKind::integer))
    return s.error_here(fmt::format("expected {}, but found {}", what, describe(s.now)),
                        {"a .file has the form: .file NUMBER \"path\", TIME, BYTES"});
  out = s.now.text;
  s.advance();
  return true;
}

void keep_verbatim(State& s, const char* begin, const char* end) {
  s.note(ItemKind::verbatim, s.module.verbatim.size());
  s.module.verbatim.emplace_back(begin, static_cast<std::size_t>(end - begin));
}

// The strings of a .pragma, from the directive on.
bool parse_strings(State& s, std::vector<Pragma>& out, std::size_t instruction) {
  s.advance();
  do {
    if (!s.now.is(TokenKind::string))
      return s.error_here(fmt::format("expected a string after .pragma, but found {}", describe(s.now)),
                          {"write for example .pragma \"nounroll\";"});
    out.push_back({s.now.text, static_cast<std::uint32_t>(instruction), s.now.place});
    s.advance();
  } while (s.accept(','));
  return s.expect(';', "a pragma");
}

// The numbers of `.loc 1 28 9` in a line of their own: nearly all. False, with nothing read, for others.
bool read_plain_position(State& s, SourceLine& out) {
  const char* p = s.lexer.cursor();
  for (std::uint32_t* number : {&out.file, &out.line, &out.column})
    if (p = skip_blanks(p); !read_decimal(p, *number))
      return false;
  if (*p != '\n')
    return false;
  s.lexer.skip_to(p);
  s.advance();
  return true;
}

} // namespace

bool parse_file(State& s) {
  SourceFileName file;
  s.advance();
  if (!parse_number(s, "the number of a file", file.number))
    return false;
  if (!s.now.is(TokenKind::string))
    return s.error_here(fmt::format("expected a file's name in quotes, but found {}", describe(s.now)),
                        {"a .file has the form: .file NUMBER \"path\""});
  file.path = s.now.text;
  s.advance();
  if (!parse_optional_integer(s, "a time stamp", file.time_stamp) ||
      !parse_optional_integer(s, "a file size", file.bytes))
    return false;
  s.note(ItemKind::file, s.module.files.size());
  s.module.files.push_back(file);
  return true;
}

bool parse_loc(State& s) {
  SourceLine line;
  if (!read_plain_position(s, line)) {
    s.advance();
    if (!parse_position(s, line))
      return false;
  }
  InlinedPlace inlined;
  while (s.accept(','))
    if (!parse_inlined(s, inlined))
      return false;
  Function& f = *s.function;
  if (inlined.has_place || !inlined.function_name.empty()) {
    line.inlined = static_cast<std::uint32_t>(f.inlined_places.size());
    f.inlined_places.push_back(inlined);
  }
  s.source_line = static_cast<std::uint32_t>(f.source_lines.size());
  s.note(ItemKind::loc, s.source_line);
  f.source_lines.push_back(line);
  return true;
}

bool parse_signature_pragma(State& s, Function& f) { return parse_strings(s, f.pragmas, 0); }

bool parse_pragma(State& s) {
  std::vector<Pragma>& pragmas = s.function != nullptr ? s.function->pragmas : s.module.pragmas;
  const std::size_t first = pragmas.size();
  const bool good = parse_strings(s, pragmas, s.function != nullptr ? s.function->instructions.size() : 0);
  for (std::size_t i = first; i < pragmas.size(); ++i)
    s.note(ItemKind::pragma, i);
  return good;
}

bool parse_section(State& s) {
  const char* const begin = s.now.text.data() - 1; // the dot
  s.advance();
  if (!s.now.is(TokenKind::dot_word) && !s.now.is(TokenKind::word))
    return s.error_here(fmt::format("expected a section's name, but found {}", describe(s.now)),
                        {"write for example .section .debug_info { ... }"});
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
                              : fmt::format("expected debugging data, but found {}", describe(t)),
                          {"a section holds .b8, .b16, .b32 and .b64 lines and labels, and ends with '}'"});
  }
  keep_verbatim(s, begin, s.now.text.data() + 1);
  s.advance();
  return true;
}

bool parse_old_dwarf(State& s) {
  const std::uint32_t line = s.now.place.line;
  const char* const begin = s.now.text.data();
  const char* end = begin;
  for (; s.now.place.line == line && !s.now.is(TokenKind::end); s.advance())
    end = s.now.text.data() + s.now.text.size() + (s.now.is(TokenKind::string) ? 1 : 0);
  keep_verbatim(s, begin, end);
  return true;
}

} // namespace kerncast::ptx
