#include "quoting.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace kerncast::tasklist {

namespace {

// Words that mean something of their own where a name could stand.
constexpr std::string_view reserved[] = {":",
                                         "<-",
                                         "->",
                                         "kernel",
                                         "target",
                                         "source",
                                         "param",
                                         "values",
                                         "block",
                                         "label",
                                         "line",
                                         "instructions",
                                         "assumption",
                                         "static_shared_bytes",
                                         "local_bytes_per_thread",
                                         "max_threads_per_cta",
                                         "min_ctas_per_sm",
                                         "max_registers"};

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_$.:@+-/<>()[]=*&,").find(c) != std::string_view::npos;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// One escape sequence after the backslash at `at`; moves `at` past it.
std::optional<char> unescape(std::string_view line, std::size_t& at) {
  ++at;
  if (at >= line.size()) {
    return std::nullopt;
  }
  if (line[at] != 'x') {
    const char c = line[at++];
    return c == '"' || c == '\\' ? std::optional(c) : std::nullopt;
  }
  unsigned value = 0;
  if (at + 3 > line.size()) {
    return std::nullopt;
  }
  const char* first = line.data() + at + 1;
  if (std::from_chars(first, first + 2, value, 16).ptr != first + 2) {
    return std::nullopt;
  }
  at += 3;
  return static_cast<char>(value);
}

// The quoted word that starts at `at`; moves `at` past it. Empty when it is malformed.
std::optional<std::string> read_quoted(std::string_view line, std::size_t& at) {
  std::string text;
  ++at;
  while (at < line.size() && line[at] != '"') {
    if (line[at] != '\\') {
      text += line[at++];
    } else if (const auto c = unescape(line, at)) {
      text += *c;
    } else {
      return std::nullopt;
    }
  }
  if (at >= line.size()) {
    return std::nullopt;
  }
  ++at;
  return text;
}

std::size_t skip_spaces(std::string_view line, std::size_t at) {
  while (at < line.size() && is_space(line[at])) {
    ++at;
  }
  return at;
}

// The word that starts at `begin`; empty when it is quoted and malformed.
std::optional<Token> read_token(std::string_view line, std::size_t begin) {
  Token token;
  token.column = static_cast<std::uint32_t>(begin) + 1;
  token.is_quoted = line[begin] == '"';
  std::size_t end = begin;
  if (token.is_quoted) {
    auto text = read_quoted(line, end);
    if (!text) {
      return std::nullopt;
    }
    token.text = std::move(*text);
  } else {
    while (end < line.size() && !is_space(line[end]) && line[end] != '#') {
      ++end;
    }
    token.text = line.substr(begin, end - begin);
  }
  token.length = static_cast<std::uint32_t>(end - begin);
  return token;
}

} // namespace

std::string quoted_word(std::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), is_plain) &&
                     std::find(std::begin(reserved), std::end(reserved), word) == std::end(reserved);
  if (plain) {
    return std::string(word);
  }
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text + '"';
}

TokenizedLine tokenize(std::string_view line) {
  TokenizedLine result;
  std::size_t at = skip_spaces(line, 0);
  while (at < line.size() && line[at] != '#') {
    auto token = read_token(line, at);
    if (!token) {
      result.error_column = static_cast<std::uint32_t>(at) + 1;
      return result;
    }
    at = skip_spaces(line, at + token->length);
    result.tokens.push_back(std::move(*token));
  }
  return result;
}

} // namespace kerncast::tasklist
