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

} // namespace

std::string quoted(std::string_view word) {
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
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_space(line[at])) {
      ++at;
    }
    if (at >= line.size() || line[at] == '#') {
      return result;
    }
    const std::size_t begin = at;
    Token token;
    token.column = static_cast<std::uint32_t>(begin) + 1;
    if (line[at] == '"') {
      auto text = read_quoted(line, at);
      if (!text) {
        result.error_column = token.column;
        return result;
      }
      token.text = std::move(*text);
      token.is_quoted = true;
    } else {
      while (at < line.size() && !is_space(line[at]) && line[at] != '#') {
        ++at;
      }
      token.text = line.substr(begin, at - begin);
    }
    token.length = static_cast<std::uint32_t>(at - begin);
    result.tokens.push_back(std::move(token));
  }
}

} // namespace kerncast::tasklist
