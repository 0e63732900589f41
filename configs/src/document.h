// One TOML file of the database as a flat list of stated keys with their places.
//
// The only part of the module, together with isa_rows.cpp, that sees the TOML library. It knows no key.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "origin.h"
#include "support/diagnostics.h"
#include "value.h"

namespace kerncast::configs {

struct Entry {
  std::string key; // dotted: "units.alu.latency"
  Value value;
  Origin origin;
  std::string guess;     // reason in the line's comment "# guess: reason", else empty
  std::size_t layer = 0; // of Statements: farther files have smaller ones, --set has the largest
};

struct Document {
  std::shared_ptr<const SourceText> source;
  std::vector<Entry> entries;    // in the file's order, without `inherits`
  std::optional<Entry> inherits; // the file this one states differences to
};

Expected<Document> read_document(const std::filesystem::path& path);

// Reason in a comment "# guess: reason" after the given column of a line, else empty.
std::string guess_comment(const SourceText& source, Place end_of_value);

} // namespace kerncast::configs
