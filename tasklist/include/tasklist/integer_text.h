// Integers as constants of a tasklist are written: decimal, with a sign if negative.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace kerncast::tasklist {

// Nothing if the text is anything else, or if 64 bits do not hold it.
template <class Integer = std::int64_t> std::optional<Integer> integer_of(std::string_view text) {
  Integer value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

} // namespace kerncast::tasklist
