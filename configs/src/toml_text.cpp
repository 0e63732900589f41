#include "toml_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "support/files.h"

namespace kerncast::configs {
namespace {

constexpr std::uintmax_t max_bytes = std::uintmax_t{1} << 20;
// The library bounds nested values but not dotted keys, and frees nested tables by recursion.
constexpr std::size_t max_dots_per_line = 16;

// Length of the text in quotes that starts at `line[at]`, to the line's end if it is not closed.
std::size_t quoted_length(std::string_view line, std::size_t at) {
  const char quote = line[at];
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == quote)
      return i - at + 1;
    if (line[i] == '\\' && quote == '"')
      ++i;
  }
  return line.size() - at;
}

// Column (from 1) of what makes a line unreadable, 0 if nothing does.
std::size_t refused_column(std::string_view line, std::string_view& reason) {
  std::size_t dots = 0;
  for (std::size_t i = 0; i < line.size() && line[i] != '#'; ++i) {
    const std::string_view rest = line.substr(i);
    if (rest.starts_with("\"\"\"") || rest.starts_with("'''")) {
      reason = "texts over several lines have no use here";
      return i + 1;
    }
    if (line[i] == '"' || line[i] == '\'')
      i += quoted_length(line, i) - 1;
    else if (line[i] == '.' && ++dots > max_dots_per_line) {
      reason = "too many dots in one line";
      return i + 1;
    }
  }
  return 0;
}

struct TomlStep {
  std::string_view in_message; // of toml++ 3.3
  std::string_view step;
};
constexpr TomlStep toml_steps[] = {
    {"redefine", "leave one of the two out, or give it another name"},
    {"parsing string", "end a text with the quote that it begins with, in the same line"},
    {"table header", "write [TABLE] on a line of its own"},
    {"parsing array", "write [1, 2, 3]"},
    {"parsing inline table", "write { KEY = VALUE, KEY = VALUE } in one line"},
    {"expected value", "write a number, true, false or a text in quotes behind '='"},
    {"parsing value", "write a number, true, false or a text in quotes behind '='"},
    {"parsing key", "write KEY = VALUE; a key has letters, digits, '_' and '-'"}};

std::string_view next_step(std::string_view message) {
  for (const TomlStep& s : toml_steps)
    if (message.find(s.in_message) != std::string_view::npos)
      return s.step;
  return "write KEY = VALUE, or [TABLE] on a line of its own";
}

Expected<void> check_lines(const SourceText& source) {
  const std::uint32_t last = source.place(source.text().size()).line;
  for (std::uint32_t line_number = 1; line_number <= last; ++line_number) {
    std::string_view reason;
    if (const std::size_t column = refused_column(source.line(line_number), reason))
      return fail(source.error({line_number, static_cast<std::uint32_t>(column)}, 1, std::string(reason),
                               {"write short lines of KEY = VALUE, texts in quotes and within one line"}));
  }
  return {};
}

} // namespace

Span span_of(const toml::source_region& region) {
  const TomlSpan span = toml_span(region);
  return {span.place, span.length};
}

TomlSpan toml_span(const toml::source_region& region) {
  const std::uint32_t length = region.end.line == region.begin.line && region.end.column > region.begin.column
                                   ? static_cast<std::uint32_t>(region.end.column - region.begin.column)
                                   : 1;
  return {{static_cast<std::uint32_t>(region.begin.line), static_cast<std::uint32_t>(region.begin.column)},
          length};
}

Expected<TomlText> read_toml(const std::filesystem::path& path) {
  auto text = read_file(path, max_bytes);
  if (!text)
    return tl::unexpected(text.error());
  return parse_toml(std::make_shared<const SourceText>(path.string(), std::move(*text)));
}

Expected<TomlText> parse_toml(std::shared_ptr<const SourceText> source) {
  if (auto checked = check_lines(*source); !checked)
    return tl::unexpected(checked.error());
  try {
    toml::table table = toml::parse(source->text(), source->name());
    return TomlText{std::move(source), std::move(table)};
  } catch (const toml::parse_error& error) {
    const TomlSpan at = toml_span(error.source());
    return fail(source->error(at.place, at.length, fmt::format("not TOML: {}", error.description()),
                              {std::string(next_step(error.description()))}));
  }
}

} // namespace kerncast::configs
