#include "rank_values.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kerncast::application {

using json::Kind;
using json::NodeId;

namespace {

std::string_view without_mark(std::string_view text) { return text.substr(1); }

bool is_expression(const json::Tree& tree, NodeId node) {
  return tree.nodes[node].kind == Kind::string && tree.text(node).starts_with(expression_mark);
}

bool is_name(std::string_view text) {
  std::size_t names = 0;
  bool whole = false;
  for_each_name(text, [&](std::string_view name) {
    ++names;
    whole = name == text;
  });
  constexpr std::string_view words[] = {"rank", "ranks", "min", "max", "and", "or", "not"};
  return names == 1 && whole && std::find(std::begin(words), std::end(words), text) == std::end(words);
}

} // namespace

std::vector<ExpressionNode> RankValues::find(const json::Tree& tree, NodeId node) {
  std::vector<ExpressionNode> found;
  for (NodeId i = node; i < tree.nodes[node].after; ++i) {
    if (!is_expression(tree, i))
      continue;
    found.push_back({i, std::string(without_mark(tree.text(i)))});
    const bool is_key = i > 0 && tree.nodes[i - 1].kind == Kind::key && tree.text(i - 1) == "when";
    if (is_key)
      std::rotate(found.begin(), found.end() - 1, found.end());
  }
  return found;
}

void RankValues::define(json::ValueReader& reader, NodeId object) {
  if (!reader.expect(object, Kind::object, "let"))
    return;
  reader.refuse_repeated_keys(object);
  reader.for_each_member(object, [&](NodeId key, NodeId value) {
    const std::string& name = reader.tree().text(key);
    if (!is_name(name))
      return reader.error(key, fmt::format("'{}' is no name for a number", name),
                          {"take letters, digits and '_', and none of rank, ranks, min, max, and, or, not"});
    Definition definition{name, value, {}, false};
    if (is_expression(reader.tree(), value))
      definition.text = without_mark(reader.tree().text(value));
    else if (const auto number = reader.natural(value, name, {0, max_bytes}))
      definition.text = fmt::format("{}", *number);
    if (const auto stated = options_.let.find(name); stated != options_.let.end())
      definition.text = stated->second;
    if (options_.grow_with_ranks.contains(name))
      definition.text = fmt::format("({}) * ranks", definition.text);
    definition.of_rank = text_is_of_rank(definition.text);
    definitions_.push_back(std::move(definition));
  });
}

void RankValues::check_options(json::ValueReader& reader, NodeId document) const {
  std::set<std::string> named = options_.grow_with_ranks;
  for (const auto& [name, text] : options_.let)
    named.insert(name);
  std::vector<std::string_view> known;
  for (const Definition& definition : definitions_) {
    known.push_back(definition.name);
    named.erase(definition.name);
  }
  for (const std::string& name : named)
    reader.error(
        document, fmt::format("'let' of the application defines no '{}'", name),
        {known.empty() ? "it defines nothing" : fmt::format("it defines {}", fmt::join(known, ", "))});
}

bool RankValues::text_is_of_rank(const std::string& text) const {
  bool of_rank = false;
  for_each_name(text, [&](std::string_view name) {
    const auto found = std::find_if(definitions_.begin(), definitions_.end(),
                                    [&](const Definition& d) { return d.name == name; });
    of_rank = of_rank || name == "rank" || (found != definitions_.end() && found->of_rank);
  });
  return of_rank;
}

bool RankValues::is_of_rank(const ExpressionNode& expression) const {
  return text_is_of_rank(expression.text);
}

std::optional<std::int64_t> RankValues::value_of(std::string_view name) const {
  if (name == "rank")
    return rank_;
  if (name == "ranks")
    return std::max(1U, ranks_);
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::string RankValues::place(std::uint32_t rank) const {
  return ranks_ == 0 ? std::string{} : fmt::format("for rank {} of {}", rank, ranks_);
}

std::vector<std::string> RankValues::notes_on(std::uint32_t rank) const {
  return ranks_ == 0 ? std::vector<std::string>{} : std::vector{place(rank)};
}

bool RankValues::enter(json::ValueReader& reader, std::uint32_t rank) {
  rank_ = rank;
  values_.clear();
  for (const Definition& definition : definitions_) {
    const auto value = evaluate(definition.text, [&](std::string_view name) { return value_of(name); });
    if (!value) {
      reader.error(definition.node,
                   fmt::format("{} = {}: {}", definition.name, definition.text, value.error()),
                   notes_on(rank));
      return false;
    }
    values_.emplace(definition.name, *value);
  }
  return true;
}

std::optional<std::int64_t> RankValues::put(json::ValueReader& reader, json::Tree& tree,
                                            const ExpressionNode& expression) {
  const auto value = evaluate(expression.text, [&](std::string_view name) { return value_of(name); });
  if (!value) {
    reader.error(expression.node, fmt::format("'={}': {}", expression.text, value.error()), notes_on(rank_));
    return std::nullopt;
  }
  json::Node& node = tree.nodes[expression.node];
  node.kind = *value < 0 ? Kind::negative : Kind::natural;
  if (*value < 0)
    node.negative = *value;
  else
    node.natural = static_cast<std::uint64_t>(*value);
  return *value;
}

} // namespace kerncast::application
