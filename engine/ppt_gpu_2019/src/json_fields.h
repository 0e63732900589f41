// Typed access to the members of a JSON object; what is wrong is collected as diagnostics with places.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "json_tree.h"

namespace kerncast::ppt_gpu_2019 {

struct Bounds {
  double least = 0;
  double most = 0;
};

class JsonFields {
public:
  JsonFields(const SourceText& source, const JsonTree& tree) : source_(source), tree_(tree) {}

  const JsonTree& tree() const { return tree_; }
  Diagnostics& errors() { return errors_; }

  // The member, or null after a diagnostic if it is missing or of another kind.
  const JsonNode* require(const JsonNode& object, std::string_view key, JsonKind kind);
  // The value, or the lower bound after a diagnostic.
  double number(const JsonNode& object, std::string_view key, Bounds bounds);
  std::uint64_t count(const JsonNode& object, std::string_view key, Bounds bounds);
  // The text, or "" after a diagnostic.
  std::string text(const JsonNode& object, std::string_view key);

  bool check_number(const JsonNode& node, std::string_view what, Bounds bounds);
  bool check_count(const JsonNode& node, std::string_view what, Bounds bounds);
  // A diagnostic for each member that is not among `known`, or that is given twice.
  void check_names(const JsonNode& object, std::span<const std::string_view> known);

  void report(const JsonNode& node, std::string message, std::string note);

private:
  void report_at(std::uint32_t begin, std::uint32_t end, std::string message, std::string note);
  const JsonNode* find(const JsonNode& object, std::string_view key);

  const SourceText& source_;
  const JsonTree& tree_;
  Diagnostics errors_;
};

} // namespace kerncast::ppt_gpu_2019
