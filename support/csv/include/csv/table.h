// Tables as text: comma-separated values with a line of column names, cells in quotes where they hold commas
// (RFC 4180). Lines that are empty or begin with # are left out. Every cell knows its place.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostics.h"

namespace kerncast::csv {

struct Cell {
  std::string text;
  Place place;
};

struct Table {
  SourceText source;
  std::vector<Cell> columns;
  std::vector<std::vector<Cell>> rows; // one cell per column

  std::optional<std::size_t> find(std::string_view column) const;
  Diagnostic error(const Cell& cell, std::string message, std::vector<std::string> notes = {}) const;
};

// Refuses rows of another length than the columns, repeated or empty column names, and open quotes.
Expected<Table> read(SourceText source);

// The positions of the columns, in the order of their names; every one that is missing is an error.
Expected<std::vector<std::size_t>> find_columns(const Table& table, std::span<const std::string_view> names);

// A finite decimal number, and nothing else.
std::optional<double> number(std::string_view text);

// The line of these cells, in quotes where needed, with its end.
std::string line_of(std::span<const std::string> cells);

} // namespace kerncast::csv
