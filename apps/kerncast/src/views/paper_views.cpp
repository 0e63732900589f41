#include <fmt/format.h>

#include "views/microbench_views.h"
#include "views/table.h"

namespace kerncast::app {
namespace {

std::string joined(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers)
    text += fmt::format("{}{:.3g}", text.empty() ? "" : "/", number);
  return text;
}

std::string cell_text(const PaperCell& cell) {
  const std::string found = cell.found.empty() ? "-" : joined(cell.found);
  return cell.published.empty() ? found : fmt::format("{} ({})", found, joined(cell.published));
}

} // namespace

std::string paper_text(const configs::Gpu& gpu, const std::vector<PaperTable>& tables) {
  std::string text = fmt::format("{}: found on the described GPU (printed in the paper)\n", gpu.name);
  for (const PaperTable& table : tables) {
    std::vector<Column> columns = {{"", Align::left}};
    for (const std::string& title : table.columns)
      columns.push_back({title, Align::right});
    Table rows(columns);
    for (const PaperTable::Row& row : table.rows) {
      std::vector<std::string> cells = {row.name};
      for (const PaperCell& cell : row.cells)
        cells.push_back(cell_text(cell));
      rows.add(std::move(cells));
    }
    text += fmt::format("\n{}\n{}", table.title, rows.text());
  }
  return text + '\n';
}

Json paper_json(const configs::Gpu& gpu, const std::vector<PaperTable>& tables) {
  Json all = Json::array();
  for (const PaperTable& table : tables) {
    Json rows = Json::array();
    for (const PaperTable::Row& row : table.rows) {
      Json cells = Json::object();
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        cells[table.columns[i]] = {{"found", row.cells[i].found}, {"published", row.cells[i].published}};
      rows.push_back({{"row", row.name}, {"cells", std::move(cells)}});
    }
    all.push_back({{"table", table.title}, {"rows", std::move(rows)}});
  }
  return {{"gpu", gpu.name}, {"tables", std::move(all)}};
}

} // namespace kerncast::app
