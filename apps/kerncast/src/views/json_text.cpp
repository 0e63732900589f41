#include "json_text.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace kerncast::app {
namespace {

constexpr std::size_t line_length = 110;

std::string scalar_text(const Json& json) {
  if (!json.is_number_float())
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  const double number = json.get<double>();
  if (!std::isfinite(number))
    throw std::logic_error("a result is not a finite number");
  return fmt::format("{}", number);
}

std::string inline_text(const Json& json);

// "open a, b close", each member's text as f gives it.
std::string inline_members(const Json& json) {
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += text.empty() ? "" : ", ";
    text += json.is_object() ? Json(key).dump() + ": " : "";
    text += inline_text(value);
  }
  return text;
}

std::string inline_text(const Json& json) {
  if (!json.is_structured())
    return scalar_text(json);
  return json.is_object() ? fmt::format("{{{}}}", inline_members(json))
                          : fmt::format("[{}]", inline_members(json));
}

void write(const Json& json, std::size_t depth, std::string& out) {
  const std::string flat = inline_text(json);
  if (!json.is_structured() || json.empty() || flat.size() + 2 * depth <= line_length) {
    out += flat;
    return;
  }
  const std::string indent(2 * (depth + 1), ' ');
  out += json.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    out += first ? "\n" : ",\n";
    out += indent;
    if (json.is_object())
      out += Json(key).dump() + ": ";
    write(value, depth + 1, out);
    first = false;
  }
  out += '\n';
  out.append(2 * depth, ' ');
  out += json.is_object() ? '}' : ']';
}

} // namespace

std::string json_text(const Json& json) {
  std::string out;
  write(json, 0, out);
  out += '\n';
  return out;
}

} // namespace kerncast::app
