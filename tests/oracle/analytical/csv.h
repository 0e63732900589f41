// Tables in tests/data: comments, a line of column names, then rows of numbers and names.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace kerncast::test {

using CsvRow = std::map<std::string, std::string>; // column -> cell

inline std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');)
    cells.push_back(cell);
  return cells;
}

// `file` is relative to tests/data.
inline std::vector<CsvRow> read_csv(const std::string& file) {
  std::ifstream in(std::string(KERNCAST_SOURCE_DIR "/tests/data/") + file);
  std::vector<std::string> names;
  std::vector<CsvRow> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    const std::vector<std::string> cells = cells_of(line);
    if (names.empty()) {
      names = cells;
      continue;
    }
    CsvRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i)
      row[names[i]] = i < cells.size() ? cells[i] : "";
  }
  return rows;
}

} // namespace kerncast::test
