#include "table.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace kerncast::app {
namespace {

std::string line_of(const std::vector<std::string>& cells, const std::vector<Column>& columns,
                    const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += i == 0 ? "" : "  ";
    line += columns[i].align == Align::right ? fmt::format("{:>{}}", cells[i], widths[i])
                                             : fmt::format("{:<{}}", cells[i], widths[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += ' ';
    for (const char c : cell)
      line += c == '|' ? std::string("\\|") : std::string(1, c);
    line += " |";
  }
  return line + "\n";
}

} // namespace

std::string Table::text() const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    widths.push_back(columns_[i].title.size());
    for (const std::vector<std::string>& row : rows_) {
      assert(row.size() == columns_.size() && "a row has one cell per column");
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text = line_of(titles, columns_, widths);
  for (const std::vector<std::string>& row : rows_)
    text += line_of(row, columns_, widths);
  return text;
}

std::string Table::markdown() const {
  std::vector<std::string> titles;
  std::string line = "|";
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    line += column.align == Align::right ? "---:|" : "---|";
  }
  std::string text = markdown_line(titles) + line + "\n";
  for (const std::vector<std::string>& row : rows_)
    text += markdown_line(row);
  return text;
}

} // namespace kerncast::app
