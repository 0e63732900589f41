// The parts of an option's value and the numbers in them, such as the 64 of stride:64.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kerncast::app {

using ValueProblem = std::string; // with a value of an option, "must be ..."; empty: there is none

// The number that is all of the text, if it fits T.
template <class T> std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = !text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    parts.push_back(text.substr(0, at = text.find(separator)));
    if (at != std::string_view::npos)
      text.remove_prefix(at + 1);
  }
  return parts;
}

} // namespace kerncast::app
