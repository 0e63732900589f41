#include "state.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "support/suggest.h"

namespace kerncast::ptx {

State::State(const SourceText& source_text, const ParseOptions& options)
    : source(source_text), lexer(source_text.text()), error_limit(options.error_limit) {
  advance();
}

std::size_t length_of(const Token& token) {
  const std::size_t extra = token.is(TokenKind::dot_word) ? 1 : token.is(TokenKind::string) ? 2 : 0;
  return token.text.size() + extra;
}

std::string describe(const Token& token) {
  constexpr std::size_t longest = 60;
  if (token.is(TokenKind::end))
    return "the end of the file";
  const bool cut = token.text.size() > longest;
  return fmt::format("'{}{}{}'", token.is(TokenKind::dot_word) ? "." : "", token.text.substr(0, longest),
                     cut ? "..." : "");
}

bool State::report_lexer_error() {
  errors.push_back(source.error(lexer.error_place(), 1, lexer.error(),
                                {"the rest of the file was not read; is the file truncated?"}));
  stopped = true;
  return false;
}

bool State::error(Place at, std::size_t length, std::string message, std::vector<std::string> notes) {
  if (stopped)
    return false;
  if (lexer.error() != nullptr)
    return report_lexer_error();
  errors.push_back(
      source.error(at, static_cast<std::uint32_t>(length), std::move(message), std::move(notes)));
  if (error_limit != 0 && errors.size() >= error_limit) {
    errors.back().notes.push_back(fmt::format("stopped after {} error{}; a higher --error-limit shows more",
                                              error_limit, error_limit == 1 ? "" : "s"));
    stopped = true;
    lexer.stop();
    advance();
  }
  return false;
}

void State::warn_newer(Place at, std::string_view feature, const Lack& lack) {
  if (!module.warnings.empty() && module.warnings.back().place.line == at.line)
    return;
  if (error_limit != 0 && module.warnings.size() >= error_limit) {
    ++warnings_left_out;
    return;
  }
  module.warnings.push_back(source.diagnose(Severity::warning, at, static_cast<std::uint32_t>(feature.size()),
                                            message(lack, feature, offer()), {next_step(lack)}));
}

void State::check_since() {
  if (const Lack lack = lack_of(now.text, offer()); lack.any())
    warn_newer(now.place, {now.text.data() - 1, now.text.size() + 1}, lack);
}

bool State::error_here(std::string message, std::vector<std::string> notes) {
  if (now.text == "#")
    notes = {"behind '#' stand only a line's number and its file: # 7 \"file\" or #line 7 \"file\""};
  return error(now.place, length_of(now), std::move(message), std::move(notes));
}

bool State::error_missing(char punctuation, std::string_view after) {
  return error_here(fmt::format("expected '{}' after {}, but found {}", punctuation, after, describe(now)),
                    {fmt::format("write '{}' here", punctuation)});
}

bool State::expect_word(std::string_view what, Token& token) {
  token = now;
  if (!now.is(TokenKind::word))
    return error_here(fmt::format("expected {}, but found {}", what, describe(now)),
                      {fmt::format("write {} here", what)});
  advance();
  return true;
}

bool State::expect_name(std::string_view what, Token& token) {
  if (now.text == "_")
    return error_here("'_' names nothing", {fmt::format("write {} of more characters, such as _a", what)});
  return expect_word(what, token);
}

void State::note(ItemKind kind, std::size_t index) {
  const std::size_t next = function == nullptr ? 0 : function->instructions.size();
  (function == nullptr ? module.items : function->items)
      .push_back({kind, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(next)});
}

void State::estimate_body() {
  const char* const begin = lexer.cursor();
  const char* const end = begin + lexer.characters_left();
  body_bytes = 0;
  if (brace_of_line != nullptr && brace_of_line >= begin) // the body before ended sooner than estimated
    return;
  brace_of_line = begin;
  while (brace_of_line != end && (*brace_of_line != '}' || brace_of_line[-1] != '\n')) {
    const char* const next = brace_of_line + 1;
    const void* const found = std::memchr(next, '}', static_cast<std::size_t>(end - next));
    brace_of_line = found == nullptr ? end : static_cast<const char*>(found);
  }
  body_bytes = static_cast<std::size_t>(brace_of_line - begin);
}

const Symbol* State::find_symbol(std::string_view name) const {
  const Symbol* local = local_symbols.find(name);
  return local != nullptr ? local : module_symbols.find(name);
}

void State::take_address(const Symbol& symbol, std::string_view name) {
  if (symbol.kind != SymbolKind::function || addressed.find(name) != no_id)
    return;
  addressed[name] = symbol.index;
  module.addressed.push_back(name);
}

std::string State::nearest_name(std::string_view wanted) const {
  // Comparing very many names would take longer than it helps.
  constexpr std::size_t most_candidates = 4096;
  if (has_many_errors())
    return {};
  std::vector<std::string_view> names = local_symbols.names();
  const std::vector<std::string_view> outer = module_symbols.names();
  names.insert(names.end(), outer.begin(), outer.end());
  names.resize(std::min(names.size(), most_candidates));
  return nearest(wanted, names);
}

void State::misdeclare(std::string_view name, bool is_range) {
  std::uint32_t& owner = is_range ? misdeclared_ranges[name] : misdeclared[name];
  if (owner != 0)
    owner = function == nullptr ? 0 : static_cast<std::uint32_t>(functions_parsed);
}

bool State::is_misdeclared(std::string_view name) const {
  const auto is_noted = [&](const NameMap& names, std::string_view noted) {
    const std::uint32_t owner = names.find(noted);
    return owner == 0 || owner == functions_parsed;
  };
  bool found = is_noted(misdeclared, name);
  if (!found)
    for_each_split(name, [&](std::string_view stem, std::string_view) {
      return found = is_noted(misdeclared_ranges, stem);
    });
  return found;
}

bool State::undeclared(const Token& token, std::string_view what) {
  if (is_misdeclared(token.text))
    return false;
  std::string note = "declare it before this line";
  const std::string_view stem = token.text.substr(0, token.text.find_last_not_of("0123456789") + 1);
  if (const Symbol* range = local_ranges.find(stem); range != nullptr && stem != token.text)
    note = fmt::format("line {} declares only {} registers {}0 to {}{}", range->place.line, range->count,
                       stem, stem, range->count == 0 ? 0 : range->count - 1);
  else if (const std::string near = nearest_name(token.text); !near.empty())
    note = fmt::format("did you mean '{}'?", near);
  error(token.place, token.text.size(), fmt::format("undeclared {} '{}'", what, token.text),
        {std::move(note)});
  // Said once; where nothing declares any register of this stem, its line is missing.
  misdeclare(token.text, false);
  if (stem != token.text && !stem.empty() && local_ranges.find(stem) == nullptr)
    misdeclare(stem, true);
  return false;
}

} // namespace kerncast::ptx
