#include "text_cursor.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "error_limit.h"

namespace kerncast::tasklist {

namespace {

// The whole of `text` as a number up to `limit`.
std::optional<std::uint32_t> parse_number(std::string_view text, std::uint32_t limit) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  return whole && number <= limit ? std::optional(number) : std::nullopt;
}

} // namespace

bool TextCursor::next_line() {
  const std::string_view text = source_.text();
  while (offset_ < text.size() && errors.size() < error_limit) {
    const std::size_t end = std::min(text.find('\n', offset_), text.size());
    line_ = tokenize(text.substr(offset_, end - offset_));
    offset_ = end + 1;
    ++line_number_;
    next_ = 0;
    line_ok_ = true;
    if (line_.error_column) {
      Token token;
      token.column = *line_.error_column;
      error(token, "this quoted word does not end, or has an unknown escape",
            {"escapes are \\\" \\\\ and \\xHH; the word must end on its line"});
    } else if (!line_.tokens.empty()) {
      return true;
    }
  }
  return false;
}

Token TextCursor::take() {
  if (next_ < line_.tokens.size()) {
    return line_.tokens[next_++];
  }
  Token end;
  end.column = line_.tokens.empty() ? 1 : line_.tokens.back().column + line_.tokens.back().length;
  return end;
}

std::string TextCursor::name() {
  Token token = take();
  if (token.text.empty() && !token.is_quoted) {
    error(token, "a name is missing here");
  }
  return std::move(token.text);
}

std::uint32_t TextCursor::number(std::uint32_t limit) {
  const Token token = take();
  const auto number = parse_number(token.text, limit);
  if (!number || token.is_quoted) {
    error(token, fmt::format("expected a number from 0 to {}", limit));
  }
  return number.value_or(0);
}

std::pair<std::uint32_t, std::uint32_t> TextCursor::number_pair() {
  const Token token = take();
  const std::string_view text = token.text;
  const std::size_t plus = text.find('+');
  const auto first = parse_number(text.substr(0, plus), UINT32_MAX);
  const auto second =
      plus == std::string_view::npos ? std::nullopt : parse_number(text.substr(plus + 1), UINT32_MAX);
  if (!first || !second) {
    error(token, "expected FIRST+COUNT, for example 12+5");
  }
  return {first.value_or(0), second.value_or(0)};
}

double TextCursor::real() {
  const Token token = take();
  double number = 0;
  const char* const last = token.text.data() + token.text.size();
  const auto [end, failure] = std::from_chars(token.text.data(), last, number);
  if (failure != std::errc{} || end != last || !std::isfinite(number) || number < 0) {
    error(token, "expected a latency in cycles, for example 6 or 7.5");
    return 0;
  }
  return number;
}

ValueId TextCursor::value(std::uint32_t limit) {
  const Token token = take();
  std::string_view text = token.text;
  if (text.ends_with(',')) {
    text.remove_suffix(1);
  }
  const auto number = text.starts_with('%') ? parse_number(text.substr(1), limit - 1) : std::nullopt;
  if (!number) {
    error(token, fmt::format("expected a value from %0 to %{}", limit - 1));
  }
  return number.value_or(0);
}

std::pair<ValueId, ValueId> TextCursor::value_range(std::uint32_t limit) {
  const Token token = take();
  const std::string_view text = token.text;
  const std::size_t dots = text.find("..");
  const auto parse = [&](std::string_view part) {
    return part.starts_with('%') ? parse_number(part.substr(1), limit - 1) : std::nullopt;
  };
  const auto first = parse(text.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : parse(text.substr(dots + 2));
  if (!first || !last || *last < *first) {
    error(token, fmt::format("expected %FIRST..%LAST or one value, from %0 to %{}", limit - 1));
    return {0, 0};
  }
  return {*first, *last};
}

void TextCursor::expect_end() {
  if (!at_end()) {
    error(line_.tokens[next_], fmt::format("unexpected '{}'", line_.tokens[next_].text),
          {"a task is: OPERATION %results <- %operands : attributes"});
  }
}

void TextCursor::error(const Token& token, std::string message, std::vector<std::string> notes) {
  if (line_ok_) {
    line_ok_ = false;
    errors.push_back(
        source_.error({line_number_, token.column}, token.length, std::move(message), std::move(notes)));
  }
}

void TextCursor::error_before(std::string message) {
  error(line_.tokens[next_ == 0 ? 0 : next_ - 1], std::move(message));
}

void TextCursor::error_at_line(std::string message, std::vector<std::string> notes) {
  errors.push_back(source_.error({line_number_, 1}, 1, std::move(message), std::move(notes)));
}

void TextCursor::error_on(std::uint32_t line, std::string message, std::vector<std::string> notes) {
  errors.push_back(source_.error({line, line == 0 ? 0U : 1U}, 1, std::move(message), std::move(notes)));
}

} // namespace kerncast::tasklist
