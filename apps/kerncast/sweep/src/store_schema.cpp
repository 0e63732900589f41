#include "store_schema.h"

#include <cassert>
#include <span>

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

// Of the tables that are written, in the order of their columns.
constexpr std::string_view of_apps[] = {"number", "app"};
constexpr std::string_view of_points[] = {"number", "gpu", "point", "gpu_hash"}; // and the keys
constexpr std::string_view of_predictions[] = {"app_number",  "point_number", "total_time_us",
                                               "gpu_busy_us", "error",        "assumptions"};
constexpr std::string_view of_kernel_predictions[] = {
    "app_number", "point_number", "kernel",       "launches",  "time_us",   "cycles", "warp_instructions",
    "ipc_per_sm", "ctas_per_sm",  "warps_per_sm", "occupancy", "registers", "l1_hit", "l2_hit",
    "l2_bytes",   "dram_bytes",   "limiter",      "bound"};

std::string listed(std::span<const std::string> columns) {
  return fmt::format("{}", fmt::join(columns, ", "));
}

// The columns of the view kernels that are those of its table.
std::string columns_of_kernels() {
  return fmt::format("{}", fmt::join(std::span(of_kernel_predictions).subspan(2), ", "));
}

// {0}: keys, each with a comma before it; {1}: the same as columns; {2}: columns of kernels.
constexpr std::string_view row_tables = R"sql(
CREATE TABLE apps (number INTEGER PRIMARY KEY, app TEXT NOT NULL, checksum INTEGER);
CREATE TABLE points (number INTEGER PRIMARY KEY, gpu TEXT NOT NULL, point TEXT NOT NULL,
  gpu_hash TEXT NOT NULL{1}, checksum INTEGER);
CREATE TABLE predictions (app_number INTEGER, point_number INTEGER, total_time_us REAL, gpu_busy_us REAL,
  error TEXT, assumptions TEXT NOT NULL, checksum INTEGER);
CREATE TABLE kernel_predictions (app_number INTEGER, point_number INTEGER, {2}, checksum INTEGER);
CREATE VIEW results AS SELECT app, gpu, point{0}, total_time_us, gpu_busy_us, error, gpu_hash,
  (SELECT value FROM facts WHERE name = 'program') AS program, assumptions
  FROM predictions JOIN apps ON apps.number = app_number JOIN points ON points.number = point_number;
CREATE VIEW kernels AS SELECT app, gpu, point, {2}
  FROM kernel_predictions JOIN apps ON apps.number = app_number JOIN points ON points.number = point_number;
)sql";

std::string quoted_keys(const StoreContents& contents) {
  std::string keys;
  for (const std::string& key : contents.keys)
    keys += ", " + quoted(key);
  return keys;
}

std::string row_tables_of(const StoreContents& contents) {
  std::string columns;
  for (const std::string& key : contents.keys)
    columns += fmt::format(", {} NUMERIC", quoted(key));
  return fmt::format(fmt::runtime(row_tables), quoted_keys(contents), columns, columns_of_kernels());
}

// A function of SQLite takes at most 127 values.
std::string checksum_over(std::span<const std::string> values) {
  constexpr std::size_t most = 100;
  if (values.size() <= most)
    return fmt::format("checksum_of({})", listed(values));
  return fmt::format("checksum_of({}, {})", listed(values.first(most)), checksum_over(values.subspan(most)));
}

// Schema 1 had the tables results and kernels with every column in every row.
// {0}: keys, each with a comma before it; {1}: columns of kernels.
constexpr std::string_view old_tables_of_schema_1 = R"sql(
CREATE TABLE old_apps AS SELECT row_number() OVER (ORDER BY app) AS number, app
  FROM (SELECT DISTINCT app FROM results);
CREATE TABLE old_points AS SELECT row_number() OVER (ORDER BY gpu, point) AS number, *
  FROM (SELECT DISTINCT gpu, point, gpu_hash{0} FROM results);
CREATE TABLE old_predictions AS SELECT old_apps.number AS app_number, old_points.number AS point_number,
  total_time_us, gpu_busy_us, error, assumptions
  FROM results JOIN old_apps USING (app) JOIN old_points USING (gpu, point);
CREATE TABLE old_kernel_predictions AS SELECT old_apps.number AS app_number,
  old_points.number AS point_number, {1} FROM kernels JOIN old_apps USING (app) JOIN old_points USING (gpu, point);
DROP TABLE results; DROP TABLE kernels;
)sql";

// Schema 2 had no checksums.
constexpr std::string_view old_tables_of_schema_2 = R"sql(
DROP VIEW results; DROP VIEW kernels;
ALTER TABLE apps RENAME TO old_apps;
ALTER TABLE points RENAME TO old_points;
ALTER TABLE predictions RENAME TO old_predictions;
ALTER TABLE kernel_predictions RENAME TO old_kernel_predictions;
)sql";

std::string row_order(const StoreContents& contents) {
  std::vector<std::string> order = {"app", "gpu"};
  for (const std::string& key : contents.keys)
    order.push_back(quoted(key));
  order.emplace_back("point");
  return fmt::format("ORDER BY {}", fmt::join(order, ", "));
}

} // namespace

std::string_view name_of(Table table) {
  constexpr std::string_view names[] = {"apps", "points", "predictions", "kernel_predictions"};
  return names[static_cast<std::size_t>(table)];
}

std::string schema_of(const StoreContents& contents) {
  const auto fact = [](std::string_view name, const std::string& value) {
    return fmt::format("INSERT INTO facts VALUES ('{}', {});\n", name, text_literal(value));
  };
  return fmt::format("PRAGMA application_id = {};\nPRAGMA user_version = {};\n{}{}{}{}{}", store_application,
                     store_schema, fixed_tables, row_tables_of(contents), fact("name", contents.name),
                     fact("program", contents.program), fact("inputs", contents.inputs.text()));
}

std::vector<std::string> columns_of(Table table, const StoreContents& contents) {
  const auto texts = [](std::span<const std::string_view> names) {
    return std::vector<std::string>(names.begin(), names.end());
  };
  switch (table) {
  case Table::apps:
    return texts(of_apps);
  case Table::points: {
    std::vector<std::string> columns = texts(of_points);
    for (const std::string& key : contents.keys)
      columns.push_back(quoted(key));
    return columns;
  }
  case Table::predictions:
    return texts(of_predictions);
  case Table::kernel_predictions:
    break;
  }
  return texts(of_kernel_predictions);
}

std::string migration_of(int schema, const StoreContents& contents) {
  assert(schema < store_schema && "there is something to migrate");
  std::string sql = schema == 1 ? fmt::format(fmt::runtime(old_tables_of_schema_1), quoted_keys(contents),
                                              columns_of_kernels())
                                : std::string(old_tables_of_schema_2);
  sql += row_tables_of(contents);
  for (const Table table : all_tables)
    sql += fmt::format("INSERT INTO {0} SELECT *, {1} FROM old_{0};\nDROP TABLE old_{0};\n", name_of(table),
                       checksum_over(columns_of(table, contents)));
  return sql + fmt::format("PRAGMA user_version = {};\n", store_schema);
}

std::vector<std::string> row_columns(const StoreContents& contents) {
  std::vector<std::string> columns = {"app", "gpu", "point"};
  columns.insert(columns.end(), contents.keys.begin(), contents.keys.end());
  for (const char* name : {"total_time_us", "gpu_busy_us", "error", "gpu_hash", "program", "assumptions"})
    columns.emplace_back(name);
  return columns;
}

std::string insert_row(Table table, const StoreContents& contents) {
  std::vector<std::string> values;
  for (std::size_t i = 1; i <= columns_of(table, contents).size(); ++i)
    values.push_back(fmt::format("?{}", i));
  return fmt::format("INSERT INTO {} VALUES ({}, {})", name_of(table), listed(values), checksum_over(values));
}

std::string update_latest_point(const StoreContents& contents) {
  return fmt::format("UPDATE points SET checksum = {} WHERE number = last_insert_rowid()",
                     checksum_over(columns_of(Table::points, contents)));
}

std::string select_checked(Table table, const std::string& columns, const StoreContents& contents) {
  return fmt::format("SELECT {}, checksum IS {} FROM {}", columns, checksum_over(columns_of(table, contents)),
                     name_of(table));
}

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
