#include "json_fields.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "support/suggest.h"

namespace kerncast::ppt_gpu_2019 {

void JsonFields::report_at(std::uint32_t begin, std::uint32_t end, std::string message, std::string note) {
  const Place from = source_.place(begin);
  const Place to = source_.place(end);
  const std::uint32_t length = from.line == to.line && to.column > from.column ? to.column - from.column : 1;
  errors_.push_back(source_.error(from, length, std::move(message), {std::move(note)}));
}

void JsonFields::report(const JsonNode& node, std::string message, std::string note) {
  // A list or object may be long: only its bracket is underlined.
  const bool nests = node.kind == JsonKind::array || node.kind == JsonKind::object;
  report_at(node.begin, nests ? node.begin + 1 : node.end, std::move(message), std::move(note));
}

const JsonNode* JsonFields::find(const JsonNode& object, std::string_view key) {
  const JsonNode* node = tree_.member(object, key);
  if (node == nullptr)
    report(object, fmt::format("'{}' is missing in this object", key), fmt::format("add \"{}\": ...", key));
  return node;
}

const JsonNode* JsonFields::require(const JsonNode& object, std::string_view key, JsonKind kind) {
  const JsonNode* node = find(object, key);
  if (node == nullptr || node->kind == kind)
    return node;
  report(*node, fmt::format("'{}' is {}, where {} is expected", key, name(node->kind), name(kind)),
         "compare with a published file");
  return nullptr;
}

bool JsonFields::check_number(const JsonNode& node, std::string_view what, Bounds bounds) {
  if (node.kind != JsonKind::integer && node.kind != JsonKind::real) {
    report(node, fmt::format("{} is {}, where a number is expected", what, name(node.kind)),
           "write a number without quotes");
    return false;
  }
  if (node.number >= bounds.least && node.number <= bounds.most)
    return true;
  report(node, fmt::format("{} is {}, outside {} to {}", what, node.number, bounds.least, bounds.most),
         "correct the value or its unit");
  return false;
}

bool JsonFields::check_count(const JsonNode& node, std::string_view what, Bounds bounds) {
  if (node.kind == JsonKind::real) {
    report(node, fmt::format("{} is not a whole number", what), "write it without a decimal point");
    return false;
  }
  return check_number(node, what, bounds);
}

double JsonFields::number(const JsonNode& object, std::string_view key, Bounds bounds) {
  const JsonNode* node = find(object, key);
  const bool good = node != nullptr && check_number(*node, fmt::format("'{}'", key), bounds);
  return good ? node->number : bounds.least;
}

std::uint64_t JsonFields::count(const JsonNode& object, std::string_view key, Bounds bounds) {
  const JsonNode* node = find(object, key);
  const bool good = node != nullptr && check_count(*node, fmt::format("'{}'", key), bounds);
  return static_cast<std::uint64_t>(good ? node->number : bounds.least);
}

std::string JsonFields::text(const JsonNode& object, std::string_view key) {
  const JsonNode* node = require(object, key, JsonKind::string);
  return node == nullptr ? std::string() : std::string(tree_.text(*node));
}

void JsonFields::check_names(const JsonNode& object, std::span<const std::string_view> known) {
  std::vector<std::string_view> seen;
  for (const JsonNode* child = tree_.first_child(object); child != nullptr; child = tree_.next(*child)) {
    const std::string_view key = tree_.key(*child);
    if (std::ranges::find(known, key) == known.end()) {
      const std::string near = nearest(key, known);
      report_at(child->key_begin, child->key_end, fmt::format("unknown field '{}'", key),
                near.empty() ? "remove it" : fmt::format("did you mean '{}'?", near));
    } else if (std::ranges::find(seen, key) != seen.end()) {
      report_at(child->key_begin, child->key_end, fmt::format("'{}' is given twice", key), "remove one");
    } else {
      seen.push_back(key);
    }
  }
}

} // namespace kerncast::ppt_gpu_2019
