#include "isa_pattern.h"

#include <algorithm>

namespace kerncast::configs {
namespace {

constexpr std::size_t most_operations = 1024;

template <class Part> void split(std::string_view text, char separator, std::vector<Part>& parts) {
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos)
      return;
    text.remove_prefix(at + 1);
  }
}

bool is_operation(const std::string& text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
  };
  const auto tokens = tokens_of(text);
  return std::all_of(tokens.begin(), tokens.end(), [&](std::string_view token) {
    return !token.empty() && std::all_of(token.begin(), token.end(), allowed);
  });
}

} // namespace

std::vector<std::string_view> tokens_of(std::string_view operation) {
  std::vector<std::string_view> tokens;
  split(operation, '.', tokens);
  return tokens;
}

std::optional<std::vector<std::string>> expand_pattern(std::string_view pattern) {
  std::vector<std::string> operations = {""};
  while (!pattern.empty()) {
    const std::size_t open = pattern.find('{');
    for (std::string& operation : operations)
      operation += pattern.substr(0, open);
    if (open == std::string_view::npos)
      break;
    const std::size_t close = pattern.find('}', open);
    if (close == std::string_view::npos)
      return std::nullopt;
    std::vector<std::string> choices;
    split(pattern.substr(open + 1, close - open - 1), ',', choices);
    if (operations.size() * choices.size() > most_operations)
      return std::nullopt;
    std::vector<std::string> extended;
    for (const std::string& operation : operations)
      for (const std::string& choice : choices)
        extended.push_back(operation + choice);
    operations = std::move(extended);
    pattern.remove_prefix(close + 1);
  }
  if (!std::all_of(operations.begin(), operations.end(), is_operation))
    return std::nullopt;
  return operations;
}

} // namespace kerncast::configs
