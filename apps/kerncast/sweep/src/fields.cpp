#include "fields.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/suggest.h"

namespace kerncast::sweep {

using Span = configs::TomlSpan;

void Context::error(const Span& at, std::string message, std::string note) {
  errors.push_back(source->error(at.place, at.length, std::move(message), {std::move(note)}));
}

void Context::error_at(const toml::node& node, std::string message, std::string note) {
  error(configs::toml_span(node.source()), std::move(message), std::move(note));
}

void read_fields(Context& context, const toml::table& table, std::span<const Field> fields,
                 std::string_view what) {
  for (const auto& [key, node] : table) {
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == key.str(); });
    if (field != fields.end()) {
      if (!field->read(node))
        context.error_at(node, fmt::format("{} must be {}", key.str(), field->form),
                         fmt::format("docs/sweeps.md describes {}", what));
      continue;
    }
    std::vector<std::string_view> names;
    for (const Field& known : fields)
      names.push_back(known.name);
    const std::string near = nearest(key.str(), names);
    context.error(configs::toml_span(key.source()), fmt::format("unknown key '{}' of {}", key.str(), what),
                  near.empty() ? fmt::format("its keys are {}", fmt::join(names, ", "))
                               : fmt::format("did you mean '{}'?", near));
  }
}

std::optional<Text> text_of(const toml::node& node) {
  const auto* text = node.as_string();
  if (text == nullptr)
    return std::nullopt;
  const Span at = configs::toml_span(node.source());
  return Text{text->get(), {at.place.line, at.place.column + 1}, std::max(3U, at.length) - 2};
}

std::optional<double> number_of(const toml::node& node) {
  if (const auto* integer = node.as_integer())
    return static_cast<double>(integer->get());
  if (const auto* number = node.as_floating_point(); number != nullptr && std::isfinite(number->get()))
    return number->get();
  return std::nullopt;
}

std::optional<std::uint64_t> count_of(const toml::node& node) {
  const auto* integer = node.as_integer();
  if (integer == nullptr || integer->get() < 0)
    return std::nullopt;
  return static_cast<std::uint64_t>(integer->get());
}

std::optional<Text> value_of(const toml::node& node) {
  const Span at = configs::toml_span(node.source());
  if (const std::optional<double> number = number_of(node))
    return Text{fmt::format("{}", *number), at.place, at.length};
  if (const auto* boolean = node.as_boolean())
    return Text{boolean->get() ? "true" : "false", at.place, at.length};
  if (const auto* text = node.as_string(); text != nullptr && !text->get().empty())
    return Text{text->get(), at.place, at.length};
  return std::nullopt;
}

std::optional<std::vector<Text>> texts_of(const toml::node& node) {
  const toml::array* list = node.as_array();
  if (list == nullptr)
    return std::nullopt;
  std::vector<Text> texts;
  for (const toml::node& element : *list) {
    std::optional<Text> text = text_of(element);
    if (!text || text->text.empty())
      return std::nullopt;
    texts.push_back(std::move(*text));
  }
  return texts;
}

} // namespace kerncast::sweep
