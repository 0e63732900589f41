#include <fmt/format.h>

#include "csv/table.h"

namespace kerncast::csv {
namespace {

using Row = std::vector<Cell>;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

class Reader {
public:
  explicit Reader(const SourceText& source)
      : source_(source), text_(source.text()), at_(text_.starts_with(byte_order_mark) ? 3 : 0) {}

  bool at_end() const { return at_ == text_.size(); }

  // Comments and empty lines.
  void skip_lines() {
    while (!at_end() && (text_[at_] == '#' || text_[at_] == '\n' || text_[at_] == '\r'))
      next_line();
  }

  // Fails at a quote that is not closed, or has something behind it.
  Expected<Row> row() {
    Row cells;
    while (true) {
      Expected<Cell> one = peek() == '"' ? quoted() : plain();
      if (!one)
        return tl::unexpected(one.error());
      cells.push_back(std::move(*one));
      if (peek() != ',')
        break;
      advance();
    }
    next_line();
    return cells;
  }

private:
  char peek() const { return at_end() ? '\n' : text_[at_]; }
  bool at_cell_end() const {
    return at_end() || text_[at_] == ',' || text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n";
  }
  Place place() const { return {line_, static_cast<std::uint32_t>(at_ - line_begin_ + 1)}; }

  void advance() {
    if (text_[at_] == '\n') {
      ++line_;
      line_begin_ = at_ + 1;
    }
    ++at_;
  }

  void next_line() {
    while (!at_end() && text_[at_] != '\n')
      advance();
    if (!at_end())
      advance();
  }

  Expected<Cell> plain() {
    Cell cell{{}, place()};
    const std::size_t begin = at_;
    while (!at_cell_end())
      advance();
    cell.text = text_.substr(begin, at_ - begin);
    return cell;
  }

  Expected<Cell> quoted() {
    Cell cell{{}, place()};
    advance();
    while (!at_end() && (text_[at_] != '"' || text_.substr(at_, 2) == "\"\"")) {
      cell.text += text_[at_];
      if (text_[at_] == '"')
        advance();
      advance();
    }
    if (at_end())
      return fail(source_.error(cell.place, 1, "this quote is not closed", {"close the cell with \""}));
    advance();
    if (!at_cell_end())
      return fail(
          source_.error(place(), 1, "text behind a cell in quotes", {"write a quote inside a cell as \"\""}));
    return cell;
  }

  const SourceText& source_;
  std::string_view text_;
  std::size_t at_;
  std::size_t line_begin_ = 0;
  std::uint32_t line_ = 1;
};

void check_columns(const Table& table, Diagnostics& errors) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Cell& column = table.columns[i];
    if (column.text.empty())
      errors.push_back(table.error(column, "a column without a name", {"the first line names the columns"}));
    else if (table.find(column.text) != i)
      errors.push_back(table.error(column, fmt::format("two columns '{}'", column.text)));
  }
}

} // namespace

Expected<Table> read(SourceText source) {
  Table table;
  table.source = std::move(source);
  Reader reader(table.source);
  Diagnostics errors;
  bool has_columns = false;
  for (reader.skip_lines(); !reader.at_end() && errors.empty(); reader.skip_lines()) {
    Expected<Row> row = reader.row();
    if (!row)
      return tl::unexpected(row.error());
    if (!has_columns) {
      table.columns = std::move(*row);
      has_columns = true;
      check_columns(table, errors);
    } else if (row->size() != table.columns.size()) {
      errors.push_back(table.error(
          row->front(), fmt::format("{} cells, but there are {} columns", row->size(), table.columns.size()),
          {"write a cell that holds a comma in quotes"}));
    } else {
      table.rows.push_back(std::move(*row));
    }
  }
  if (!has_columns)
    errors.push_back(table.source.error({0, 0}, 1, "a table without columns",
                                        {"its first line names the columns, separated by commas"}));
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return table;
}

} // namespace kerncast::csv
