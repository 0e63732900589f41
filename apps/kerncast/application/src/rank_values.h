// The values that expressions of a file have for a rank: texts that begin with '=' are read as the numbers
// that they are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "application/read.h"
#include "expression.h"
#include "json/object_reader.h"

namespace kerncast::application {

// An expression of the file and where its number goes.
struct ExpressionNode {
  json::NodeId node = 0;
  std::string text; // without the mark
};

class RankValues {
public:
  explicit RankValues(const RankOptions& options) : options_(options) {}

  // Those below the node; a `when` of the node's own comes first.
  static std::vector<ExpressionNode> find(const json::Tree& tree, json::NodeId node);

  // "ranks" of the file, unless the options say another number. Once.
  void set_ranks(std::uint64_t stated) {
    ranks_ = options_.ranks.value_or(static_cast<std::uint32_t>(stated));
  }
  // 0: the file is that of one GPU.
  std::uint32_t ranks() const { return ranks_; }
  // "for rank 2 of 8"; empty in a file of one GPU.
  std::string place(std::uint32_t rank) const;

  // "let": {"rows": "= 8192 / ranks"}; later ones may name earlier ones.
  void define(json::ValueReader& reader, json::NodeId object);
  // Names of options that the file does not define are errors.
  void check_options(json::ValueReader& reader, json::NodeId document) const;

  // Whether the rank matters to it.
  bool is_of_rank(const ExpressionNode& expression) const;

  // The next expressions are those of this rank. An error at the definition that has no value for it.
  bool enter(json::ValueReader& reader, std::uint32_t rank);
  // Puts the number into the tree; an error if there is none.
  std::optional<std::int64_t> put(json::ValueReader& reader, json::Tree& tree,
                                  const ExpressionNode& expression);

private:
  struct Definition {
    std::string name;
    json::NodeId node = 0;
    std::string text;
    bool of_rank = false;
  };

  std::vector<std::string> notes_on(std::uint32_t rank) const;
  bool text_is_of_rank(const std::string& text) const;
  std::optional<std::int64_t> value_of(std::string_view name) const;

  const RankOptions& options_;
  std::uint32_t ranks_ = 0;
  std::uint32_t rank_ = 0;
  std::vector<Definition> definitions_;
  std::map<std::string, std::int64_t, std::less<>> values_; // of definitions, for this rank
};

} // namespace kerncast::application
