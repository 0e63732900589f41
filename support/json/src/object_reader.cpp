#include "json/object_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/suggest.h"

namespace kerncast::json {

void ValueReader::error(NodeId id, std::string message, std::vector<std::string> notes) {
  if (notes.empty())
    notes.emplace_back(options_.hint);
  if (!full())
    errors_.push_back(error_at(source_, node(id), std::move(message), std::move(notes)));
}

std::string ValueReader::found(NodeId id) const {
  constexpr std::uint32_t longest = 40;
  const Node& value = node(id);
  const bool is_number =
      value.kind == Kind::natural || value.kind == Kind::negative || value.kind == Kind::real;
  if (!is_number)
    return std::string(name(value.kind));
  return std::string(source_.text().substr(value.begin, std::min(value.end - value.begin, longest)));
}

bool ValueReader::expect(NodeId id, Kind kind, std::string_view what) {
  if (node(id).kind == kind)
    return true;
  error(id, fmt::format("{} must be {}, not {}", what, name(kind), name(node(id).kind)));
  return false;
}

void ValueReader::missing(NodeId object, std::string_view what, std::string_view field) {
  error(object, fmt::format("{} has no '{}'", what, field), {fmt::format("add \"{}\"", field)});
}

void ValueReader::unknown_name(NodeId id, std::string_view what, std::span<const std::string_view> known) {
  const std::string near = nearest(tree_.text(id), known);
  error(id, fmt::format("unknown {} '{}'", what, tree_.text(id)),
        {near.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                      : fmt::format("did you mean '{}'?", near)});
}

std::optional<std::uint64_t> ValueReader::natural(NodeId id, std::string_view what, Bounds bounds) {
  const Node& value = node(id);
  if (value.kind == Kind::natural && value.natural >= bounds.least && value.natural <= bounds.most)
    return value.natural;
  const std::string wanted = bounds.most == UINT64_MAX
                                 ? fmt::format("a whole number of at least {}", bounds.least)
                                 : fmt::format("a whole number from {} to {}", bounds.least, bounds.most);
  error(id, fmt::format("{} must be {}, not {}", what, wanted, found(id)));
  return std::nullopt;
}

std::optional<bool> ValueReader::boolean(NodeId id, std::string_view what) {
  const Node& value = node(id);
  if (value.kind == Kind::boolean)
    return value.boolean;
  error(id, fmt::format("{} must be true or false, not {}", what, name(value.kind)));
  return std::nullopt;
}

std::optional<double> ValueReader::real(NodeId id, std::string_view what, double least, double most) {
  const Node& value = node(id);
  double number = 0;
  if (value.kind == Kind::real)
    number = value.real;
  else if (value.kind == Kind::natural)
    number = static_cast<double>(value.natural);
  else if (value.kind == Kind::negative)
    number = static_cast<double>(value.negative);
  else {
    error(id, fmt::format("{} must be a number, not {}", what, name(value.kind)));
    return std::nullopt;
  }
  if (number >= least && number <= most)
    return number;
  error(id, fmt::format("{} must lie in [{}, {}], not {}", what, least, most, number));
  return std::nullopt;
}

std::optional<std::string> ValueReader::string(NodeId id, std::string_view what) {
  if (!expect(id, Kind::string, what))
    return std::nullopt;
  if (!tree_.text(id).empty())
    return tree_.text(id);
  error(id, fmt::format("{} must not be empty", what));
  return std::nullopt;
}

void ValueReader::refuse_repeated_keys(NodeId object) {
  std::vector<NodeId> keys;
  for_each_member(object, [&](NodeId key, NodeId) { keys.push_back(key); });
  const auto text_then_order = [&](NodeId a, NodeId b) {
    const int order = tree_.text(a).compare(tree_.text(b));
    return order != 0 ? order < 0 : a < b;
  };
  std::sort(keys.begin(), keys.end(), text_then_order);
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (tree_.text(keys[i]) == tree_.text(keys[i - 1]))
      error(keys[i], fmt::format("'{}' is given twice", tree_.text(keys[i])),
            {fmt::format("the first is in line {}", place(keys[i - 1]).line)});
}

std::vector<NodeId> find_fields(ValueReader& reader, NodeId object, std::string_view what,
                                std::span<const std::string_view> names, std::span<const Need> needs,
                                Others others) {
  reader.refuse_repeated_keys(object);
  std::vector<NodeId> values(names.size(), 0);
  reader.for_each_member(object, [&](NodeId key, NodeId value) {
    const auto found = std::find(names.begin(), names.end(), reader.tree().text(key));
    if (found != names.end())
      values[static_cast<std::size_t>(found - names.begin())] = value;
    else if (others == Others::refused)
      reader.unknown_name(key, fmt::format("field of {}", what), names);
  });
  for (std::size_t i = 0; i < names.size(); ++i)
    if (values[i] == 0 && needs[i] == Need::required)
      reader.missing(object, what, names[i]);
  return values;
}

} // namespace kerncast::json
