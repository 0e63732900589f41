#include "store_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kerncast::sweep {
namespace {

// Keys have letters, digits, '_' and '.'.
std::string quoted(const std::string& name) { return '"' + name + '"'; }

std::string text_literal(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

constexpr std::string_view fixed_tables = R"sql(
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE assumptions (hash TEXT PRIMARY KEY, texts TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE kernels (
  app TEXT NOT NULL, gpu TEXT NOT NULL, point TEXT NOT NULL, kernel TEXT NOT NULL,
  launches REAL, time_us REAL, cycles REAL, warp_instructions REAL, ipc_per_sm REAL, ctas_per_sm REAL,
  warps_per_sm REAL, occupancy REAL, registers REAL, l1_hit REAL, l2_hit REAL, l2_bytes REAL, dram_bytes REAL,
  limiter TEXT, bound TEXT, PRIMARY KEY (app, gpu, point, kernel)) WITHOUT ROWID;
)sql";

std::string marks(std::size_t count) {
  return fmt::format("{}", fmt::join(std::vector<std::string_view>(count, "?"), ", "));
}

} // namespace

std::string schema_of(const StoreContents& contents) {
  std::string keys;
  for (const std::string& key : contents.keys)
    keys += fmt::format(" {} NUMERIC,", quoted(key));
  const auto fact = [](std::string_view name, const std::string& value) {
    return fmt::format("INSERT INTO facts VALUES ('{}', {});\n", name, text_literal(value));
  };
  return fmt::format("PRAGMA application_id = {};\nPRAGMA user_version = {};\n{}"
                     "CREATE TABLE results (app TEXT NOT NULL, gpu TEXT NOT NULL, point TEXT NOT NULL,{} "
                     "total_time_us REAL, gpu_busy_us REAL, error TEXT, gpu_hash TEXT NOT NULL, "
                     "program TEXT NOT NULL, assumptions TEXT NOT NULL, PRIMARY KEY (app, gpu, point)) "
                     "WITHOUT ROWID;\n{}{}{}",
                     store_application, store_schema, fixed_tables, keys, fact("name", contents.name),
                     fact("program", contents.program), fact("inputs", contents.inputs.text()));
}

std::vector<std::string> row_columns(const StoreContents& contents) {
  std::vector<std::string> columns = {"app", "gpu", "point"};
  columns.insert(columns.end(), contents.keys.begin(), contents.keys.end());
  for (const char* name : {"total_time_us", "gpu_busy_us", "error", "gpu_hash", "program", "assumptions"})
    columns.emplace_back(name);
  return columns;
}

std::string insert_row(const StoreContents& contents) {
  return fmt::format("INSERT OR IGNORE INTO results VALUES ({})", marks(row_columns(contents).size()));
}

std::string insert_kernel() {
  constexpr std::size_t columns = 19;
  return fmt::format("INSERT OR IGNORE INTO kernels VALUES ({})", marks(columns));
}

std::string insert_assumptions() { return "INSERT OR IGNORE INTO assumptions VALUES (?, ?)"; }

std::string select_rows(const StoreContents& contents) {
  std::vector<std::string> columns;
  for (const std::string& column : row_columns(contents))
    columns.push_back(quoted(column));
  std::vector<std::string> order = {"app", "gpu"};
  for (const std::string& key : contents.keys)
    order.push_back(quoted(key));
  order.emplace_back("point");
  return fmt::format("SELECT {} FROM results ORDER BY {}", fmt::join(columns, ", "), fmt::join(order, ", "));
}

void append_csv_line(const std::vector<std::string>& cells, std::string& text) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += i == 0 ? "" : ",";
    const bool quote = cells[i].find_first_of(",\"\n\r") != std::string::npos;
    if (!quote) {
      text += cells[i];
      continue;
    }
    text += '"';
    for (const char c : cells[i])
      text += c == '"' ? "\"\"" : std::string(1, c);
    text += '"';
  }
  text += '\n';
}

} // namespace kerncast::sweep
