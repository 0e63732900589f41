// A JSON text as a flat tree in which every value knows where it stands.
//
// Values lie in one array in the order of the text, so that deep nesting costs no stack. Strings are kept as
// slices of the text: escape sequences are not decoded (no name in a published file has one).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "support/diagnostics.h"

namespace kerncast::ppt_gpu_2019 {

enum class JsonKind : std::uint8_t { null, boolean, integer, real, string, array, object };
std::string_view name(JsonKind kind);

struct JsonNode {
  static constexpr std::uint32_t none = UINT32_MAX;
  JsonKind kind = JsonKind::null;
  std::uint32_t begin = 0; // byte offsets of the value; strings without their quotes
  std::uint32_t end = 0;
  std::uint32_t key_begin = 0; // of a member's name
  std::uint32_t key_end = 0;
  std::uint32_t first_child = none;
  std::uint32_t next = none; // sibling
  double number = 0;
};

class JsonTree {
public:
  // Fails with the place of the first error of syntax.
  static Expected<JsonTree> parse(const SourceText& source);

  const JsonNode& root() const { return nodes_.front(); }
  const JsonNode* first_child(const JsonNode& node) const { return at(node.first_child); }
  const JsonNode* next(const JsonNode& node) const { return at(node.next); }
  const JsonNode* member(const JsonNode& object, std::string_view key) const;
  std::string_view text(const JsonNode& node) const { return slice(node.begin, node.end); }
  std::string_view key(const JsonNode& node) const { return slice(node.key_begin, node.key_end); }

private:
  friend class JsonTreeBuilder;
  const JsonNode* at(std::uint32_t index) const { return index == JsonNode::none ? nullptr : &nodes_[index]; }
  std::string_view slice(std::uint32_t begin, std::uint32_t end) const {
    return text_.substr(begin, end - begin);
  }
  std::string_view text_; // the source's
  std::vector<JsonNode> nodes_;
};

} // namespace kerncast::ppt_gpu_2019
