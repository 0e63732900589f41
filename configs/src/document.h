// One TOML file of the database as a flat list of stated keys with their places.
//
// The only part of the module, together with isa_rows.cpp, that sees the TOML library. It knows no key.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "configs/gpu.h"
#include "origin.h"
#include "support/diagnostics.h"
#include "value.h"

namespace kerncast::configs {

// What a comment says a value rests on: "# specified: source", "# measured: source", "# guess: reason";
// any other comment is a source of which no more is known. "# guess +-33 %: reason" also states its error.
struct Basis {
  Evidence evidence = Evidence::stated;
  std::string source;
  std::optional<double> error = std::nullopt; // a share of the value
};

struct Entry {
  std::string key; // dotted: "units.alu.latency"
  Value value;
  Origin origin;
  Basis basis;           // by the line's comment
  std::size_t layer = 0; // of Statements: farther files have smaller ones, --set has the largest
};

struct Document {
  std::shared_ptr<const SourceText> source;
  std::vector<Entry> entries;    // in the file's order, without `inherits`
  std::optional<Entry> inherits; // the file this one states differences to
  bool limits_anew = false;      // residency limits that farther files state do not count
  bool is_rule = false;          // the limits of the compute capability that the nearer layer states
};

Expected<Document> read_document(const std::filesystem::path& path);

// By the comment after the given column of a line.
Basis basis_in_comment(const SourceText& source, Place end_of_value);

} // namespace kerncast::configs
