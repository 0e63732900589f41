// A JSON document with the place of every key and value.
//
// Nodes lie in one vector in the order of the text. The children of an array follow it, those of an object
// follow it as pairs of key and value. Texts are below 4 GiB: places are 32-bit offsets.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostics.h"

namespace kerncast::json {

using NodeId = std::uint32_t;

enum class Kind : std::uint8_t { null, boolean, negative, natural, real, string, array, object, key };
std::string_view name(Kind kind); // "a number", "an object"

struct Node {
  Kind kind = Kind::null;
  std::uint32_t begin = 0; // byte offsets in the text
  std::uint32_t end = 0;
  NodeId after = 0; // the node that follows this one and its children
  union {
    std::uint64_t natural = 0;
    std::int64_t negative; // integers below zero
    double real;
    std::uint32_t string; // string, key: index into Tree::strings
    bool boolean;
  };
};

struct Tree {
  std::vector<Node> nodes; // nodes[0] is the document
  std::vector<std::string> strings;

  const std::string& text(NodeId id) const { return strings[nodes[id].string]; }
};

inline constexpr std::size_t max_depth = 64;

// Parses bytes [begin, end) of the text as one document.
Expected<Tree> parse(const SourceText& source, std::size_t begin, std::size_t end);

// An error about a node, underlined (only the opening bracket of arrays and objects).
Diagnostic error_at(const SourceText& source, const Node& node, std::string message,
                    std::vector<std::string> notes = {});

} // namespace kerncast::json
