#include "json/tree.h"

#include <array>
#include <utility>

namespace kerncast::json {

std::string_view name(Kind kind) {
  static constexpr std::array<std::string_view, 9> names = {
      "null",     "true or false", "a negative number", "a number", "a number with a fraction",
      "a string", "an array",      "an object",         "a key"};
  return names[static_cast<std::size_t>(kind)];
}

Diagnostic error_at(const SourceText& source, const Node& node, std::string message,
                    std::vector<std::string> notes) {
  const bool nested = node.kind == Kind::array || node.kind == Kind::object;
  const std::uint32_t length = nested ? 1 : node.end - node.begin;
  return source.error(source.place(node.begin), length, std::move(message), std::move(notes));
}

} // namespace kerncast::json
