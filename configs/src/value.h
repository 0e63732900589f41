// A value as a file or a --set states it, before the key table gives it a meaning.
#pragma once

#include <string>
#include <string_view>
#include <variant>

namespace kerncast::configs {

// What no key takes: an array, a date, a table without keys.
struct Unsupported {
  std::string what; // "an array"
};

using Value = std::variant<bool, double, std::string, Unsupported>;

// "a number", "a text", "empty", "true or false", "an array": for messages.
std::string kind_of(const Value& value);

// The value as the file would state it, texts without quotes; numbers by their shortest exact form.
std::string to_text(const Value& value);

// A terminal obeys control characters; as text they are written \x1b.
bool is_control(char c);
std::string printable(std::string_view text);

} // namespace kerncast::configs
