#include "value.h"

#include <charconv>

#include <fmt/format.h>

namespace kerncast::configs {
namespace {

template <class... Cases> struct Overloaded : Cases... { using Cases::operator()...; };
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

} // namespace

std::string kind_of(const Value& value) {
  return std::visit(Overloaded{[](bool) -> std::string { return "true or false"; },
                               [](double) -> std::string { return "a number"; },
                               [](const std::string&) -> std::string { return "a text"; },
                               [](const Unsupported& u) { return u.what; }},
                    value);
}

std::string to_text(const Value& value) {
  return std::visit(Overloaded{[](bool b) -> std::string { return b ? "true" : "false"; },
                               [](double d) { return fmt::format("{}", d); },
                               [](const std::string& s) { return s; },
                               [](const Unsupported& u) { return u.what; }},
                    value);
}

Value value_of(std::string_view text) {
  if (text == "true" || text == "false")
    return text == "true";
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && stop == end)
    return number;
  return std::string(text);
}

} // namespace kerncast::configs
