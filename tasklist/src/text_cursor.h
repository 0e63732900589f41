// Walks the words of a text line by line and reports what does not fit, with its place.
#pragma once

#include <string>
#include <utility>

#include "quoting.h"
#include "support/diagnostics.h"
#include "tasklist/operation.h"

namespace kerncast::tasklist {

class TextCursor {
public:
  explicit TextCursor(const SourceText& source) : source_(source) {}

  Diagnostics errors;

  // The next line that has words; false at the end of the text or after too many errors.
  bool next_line();
  std::uint32_t line_number() const { return line_number_; }
  // False once this line has an error: the rest of the line is not looked at.
  bool ok() const { return line_ok_; }

  bool at_end() const { return next_ >= line_.tokens.size() || !line_ok_; }
  bool at_word(std::string_view word) const {
    return !at_end() && !line_.tokens[next_].is_quoted && line_.tokens[next_].text == word;
  }
  bool at_number() const { return !at_end() && starts_with_digit(line_.tokens[next_].text); }
  bool at_value() const {
    return !at_end() && !line_.tokens[next_].is_quoted && line_.tokens[next_].text.starts_with('%');
  }
  bool take_word(std::string_view word) {
    const bool there = at_word(word);
    next_ += there;
    return there;
  }
  Token take();

  std::string name();
  std::uint32_t number(std::uint32_t limit = UINT32_MAX);
  std::pair<std::uint32_t, std::uint32_t> number_pair();        // 3+4
  double real();                                                // finite, not negative
  ValueId value(std::uint32_t limit);                           // %7, a comma may follow
  std::pair<ValueId, ValueId> value_range(std::uint32_t limit); // %7 or %7..%9
  template <class E> E choice(E last, std::string_view what) {  // the name of an enumerator
    const Token token = take();
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
      if (ok() && !token.is_quoted && tasklist::name(static_cast<E>(i)) == token.text) {
        return static_cast<E>(i);
      }
    }
    error(token, "unknown " + std::string(what) + " '" + token.text + "'", {names_up_to(last, what)});
    return E{};
  }
  void expect_end();

  // Each marks the line as bad; only the first error of a line is kept.
  void error(const Token& token, std::string message, std::vector<std::string> notes = {});
  void error_before(std::string message); // at the word taken last
  void error_at_line(std::string message, std::vector<std::string> notes = {});
  void error_on(std::uint32_t line, std::string message, std::vector<std::string> notes = {});

private:
  static bool starts_with_digit(std::string_view text) {
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
  }
  template <class E> static std::string names_up_to(E last, std::string_view what) {
    std::string text = std::string(what) + " is one of";
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
      text += (i == 0 ? " " : ", ") + std::string(tasklist::name(static_cast<E>(i)));
    }
    return text;
  }

  const SourceText& source_;
  std::size_t offset_ = 0; // in the text, of the next line
  std::uint32_t line_number_ = 0;
  TokenizedLine line_;
  std::size_t next_ = 0;
  bool line_ok_ = true;
};

} // namespace kerncast::tasklist
