// Tables as plain text, columns as wide as their widest cell, or as Markdown: numbers to the right, names to
// the left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kerncast::app {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
};

class Table {
public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // One cell per column.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;
  std::string markdown() const;

private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace kerncast::app
