#include "value.h"

#include <fmt/format.h>

namespace kerncast::configs {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

namespace {

template <class... Cases> struct Overloaded : Cases... { using Cases::operator()...; };
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

} // namespace

std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text)
    shown += is_control(c) ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  return shown;
}

std::string kind_of(const Value& value) {
  return std::visit(
      Overloaded{[](bool) -> std::string { return "true or false"; },
                 [](double) -> std::string { return "a number"; },
                 [](const std::string& s) -> std::string { return s.empty() ? "empty" : "a text"; },
                 [](const Unsupported& u) { return u.what; }},
      value);
}

std::string to_text(const Value& value) {
  return std::visit(Overloaded{[](bool b) -> std::string { return b ? "true" : "false"; },
                               [](double d) { return fmt::format("{}", d); },
                               [](const std::string& s) { return printable(s); },
                               [](const Unsupported& u) { return u.what; }},
                    value);
}

} // namespace kerncast::configs
