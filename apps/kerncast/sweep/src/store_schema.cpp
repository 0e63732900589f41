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

// What is written for every row has no index and names nothing twice: results and kernels are views.
constexpr std::string_view fixed_tables = R"sql(
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE assumptions (hash TEXT PRIMARY KEY, texts TEXT NOT NULL) WITHOUT ROWID;
)sql";

constexpr std::string_view of_kernels =
    "kernel, launches, time_us, cycles, warp_instructions, ipc_per_sm, ctas_per_sm, warps_per_sm, occupancy, "
    "registers, l1_hit, l2_hit, l2_bytes, dram_bytes, limiter, bound";

// {0}: keys, each with a comma before it; {1}: the same as columns; {2}: columns of kernels.
constexpr std::string_view row_tables = R"sql(
CREATE TABLE apps (number INTEGER PRIMARY KEY, app TEXT NOT NULL);
CREATE TABLE points (number INTEGER PRIMARY KEY, gpu TEXT NOT NULL, point TEXT NOT NULL,
  gpu_hash TEXT NOT NULL{1});
CREATE TABLE predictions (app_number INTEGER, point_number INTEGER, total_time_us REAL, gpu_busy_us REAL,
  error TEXT, assumptions TEXT NOT NULL);
CREATE TABLE kernel_predictions (app_number INTEGER, point_number INTEGER, {2});
CREATE VIEW results AS SELECT app, gpu, point{0}, total_time_us, gpu_busy_us, error, gpu_hash,
  (SELECT value FROM facts WHERE name = 'program') AS program, assumptions
  FROM predictions JOIN apps ON apps.number = app_number JOIN points ON points.number = point_number;
CREATE VIEW kernels AS SELECT app, gpu, point, {2}
  FROM kernel_predictions JOIN apps ON apps.number = app_number JOIN points ON points.number = point_number;
)sql";

std::string row_tables_of(const StoreContents& contents) {
  std::string keys, columns;
  for (const std::string& key : contents.keys) {
    keys += ", " + quoted(key);
    columns += fmt::format(", {} NUMERIC", quoted(key));
  }
  return fmt::format(fmt::runtime(row_tables), keys, columns, of_kernels);
}

std::string marks(std::size_t count) {
  return fmt::format("{}", fmt::join(std::vector<std::string_view>(count, "?"), ", "));
}

std::string row_order(const StoreContents& contents) {
  std::vector<std::string> order = {"app", "gpu"};
  for (const std::string& key : contents.keys)
    order.push_back(quoted(key));
  order.emplace_back("point");
  return fmt::format("ORDER BY {}", fmt::join(order, ", "));
}

} // namespace

std::string schema_of(const StoreContents& contents) {
  const auto fact = [](std::string_view name, const std::string& value) {
    return fmt::format("INSERT INTO facts VALUES ('{}', {});\n", name, text_literal(value));
  };
  return fmt::format("PRAGMA application_id = {};\nPRAGMA user_version = {};\n{}{}{}{}{}", store_application,
                     store_schema, fixed_tables, row_tables_of(contents), fact("name", contents.name),
                     fact("program", contents.program), fact("inputs", contents.inputs.text()));
}

// Schema 1 had the tables results and kernels with every column in every row.
std::string migration_of(const StoreContents& contents) {
  std::string keys;
  for (const std::string& key : contents.keys)
    keys += ", " + quoted(key);
  constexpr std::string_view numbered =
      "JOIN apps USING (app) JOIN points ON points.gpu = old.gpu AND points.point = old.point";
  return fmt::format(
      "ALTER TABLE results RENAME TO old_results; ALTER TABLE kernels RENAME TO old_kernels;\n{0}"
      "INSERT INTO apps (app) SELECT DISTINCT app FROM old_results ORDER BY app;\n"
      "INSERT INTO points (gpu, point, gpu_hash{1}) SELECT DISTINCT gpu, point, gpu_hash{1} FROM old_results "
      "ORDER BY gpu, point;\n"
      "INSERT INTO predictions SELECT apps.number, points.number, total_time_us, gpu_busy_us, error, "
      "assumptions "
      "FROM old_results AS old {2};\n"
      "INSERT INTO kernel_predictions SELECT apps.number, points.number, {3} FROM old_kernels AS old {2};\n"
      "DROP TABLE old_results; DROP TABLE old_kernels; PRAGMA user_version = {4};",
      row_tables_of(contents), keys, numbered, of_kernels, store_schema);
}

std::vector<std::string> row_columns(const StoreContents& contents) {
  std::vector<std::string> columns = {"app", "gpu", "point"};
  columns.insert(columns.end(), contents.keys.begin(), contents.keys.end());
  for (const char* name : {"total_time_us", "gpu_busy_us", "error", "gpu_hash", "program", "assumptions"})
    columns.emplace_back(name);
  return columns;
}

std::string insert_app() { return "INSERT INTO apps VALUES (?, ?)"; }

std::string insert_point(const StoreContents& contents) {
  return fmt::format("INSERT INTO points VALUES ({})", marks(4 + contents.keys.size()));
}

std::string insert_prediction() { return fmt::format("INSERT INTO predictions VALUES ({})", marks(6)); }

std::string insert_kernel() { return fmt::format("INSERT INTO kernel_predictions VALUES ({})", marks(18)); }

std::string insert_assumptions() { return "INSERT INTO assumptions VALUES (?, ?)"; }

std::string select_rows(const StoreContents& contents) {
  std::vector<std::string> columns;
  for (const std::string& column : row_columns(contents))
    columns.push_back(quoted(column));
  return fmt::format("SELECT {} FROM results {}", fmt::join(columns, ", "), row_order(contents));
}

std::string select_first_failed(const StoreContents& contents) {
  return fmt::format("SELECT app, gpu, point, error FROM results WHERE error IS NOT NULL {} LIMIT 1",
                     row_order(contents));
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
