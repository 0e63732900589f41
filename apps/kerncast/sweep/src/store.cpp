#include "sweep/store.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "lock_file.h"
#include "sqlite.h"
#include "store_schema.h"

namespace kerncast::sweep {

struct ResultStore::Database {
  // Closed last: closing a descriptor of the file ends SQLite's own locks on it.
  LockedFile lock;
  Connection connection;
  StoreContents contents;
  std::optional<Statement> add_row, add_kernel, add_assumptions;

  void bind_row(const ResultRow& row, std::string_view assumptions);
  Expected<void> add(const ResultRow& row);
};

namespace {

// A file of ours with the rows of this sweep (true), or an empty one (false).
Expected<bool> check_contents(const Connection& file, const StoreContents& contents) {
  const auto application = file.value("PRAGMA application_id");
  const auto schema = file.value("PRAGMA user_version");
  const auto tables = file.value("SELECT count(*) FROM sqlite_master");
  for (const auto* value : {&application, &schema, &tables})
    if (!*value)
      return tl::unexpected(value->error());
  if (*tables == "0")
    return false;
  if (*application != std::to_string(store_application))
    return file.refuse("a database, but no result file of a sweep", "name another file");
  if (*schema != std::to_string(store_schema))
    return file.refuse(fmt::format("written by a newer kerncast: its schema is {}, this program knows {}",
                                   *schema, store_schema),
                       "use that program, or name another file");
  if (const auto whole = file.value("PRAGMA quick_check(1)"); !whole || *whole != "ok")
    return file.refuse("a damaged result file",
                       "move the file away to compute everything anew; nothing in it was changed");
  const auto inputs = file.value("SELECT value FROM facts WHERE name = 'inputs'");
  const auto program = file.value("SELECT value FROM facts WHERE name = 'program'");
  const auto name = file.value("SELECT value FROM facts WHERE name = 'name'");
  for (const auto* value : {&inputs, &program, &name})
    if (!*value)
      return tl::unexpected(value->error());
  if (*inputs != contents.inputs.text())
    return file.refuse(
        fmt::format("the results of another sweep{}", name->empty() ? "" : ", '" + *name + "'"),
        "its points, GPUs or applications differ: name another file for this one");
  if (*program != contents.program)
    return file.refuse(fmt::format("computed by kerncast {}, but this is {}", *program, contents.program),
                       "results of two programs do not mix: name another file, or use that program");
  return true;
}

Expected<void> prepare_file(const Connection& file, const StoreContents& contents) {
  if (const auto patient = file.run("PRAGMA busy_timeout = 2000"); !patient)
    return patient;
  const Expected<bool> ours = check_contents(file, contents);
  if (!ours)
    return tl::unexpected(ours.error());
  // NORMAL: a kill loses nothing, a power cut at most the latest rows.
  if (const auto mode = file.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"); !mode || *ours)
    return mode;
  return file.run("BEGIN IMMEDIATE; " + schema_of(contents) + " COMMIT");
}

} // namespace

ResultStore::ResultStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
ResultStore::~ResultStore() = default;
ResultStore::ResultStore(ResultStore&&) noexcept = default;
ResultStore& ResultStore::operator=(ResultStore&&) noexcept = default;

Expected<ResultStore> ResultStore::open(const std::filesystem::path& path, const StoreContents& contents) {
  Expected<LockedFile> lock = LockedFile::open(path);
  if (!lock)
    return tl::unexpected(lock.error());
  Expected<Connection> connection = Connection::open(path);
  if (!connection)
    return tl::unexpected(connection.error());
  if (const Expected<void> prepared = prepare_file(*connection, contents); !prepared)
    return tl::unexpected(prepared.error());
  auto database =
      std::unique_ptr<Database>(new Database{std::move(*lock), std::move(*connection), contents, {}, {}, {}});
  const Connection& file = database->connection;
  for (auto [statement, sql] : {std::pair(&database->add_row, insert_row(contents)),
                                {&database->add_kernel, insert_kernel()},
                                {&database->add_assumptions, insert_assumptions()}}) {
    Expected<Statement> prepared = file.prepare(sql);
    if (!prepared)
      return tl::unexpected(prepared.error());
    statement->emplace(std::move(*prepared));
  }
  return ResultStore(std::move(database));
}

Expected<std::vector<Fingerprint>> ResultStore::keys() const {
  const Connection& file = database_->connection;
  Expected<Statement> statement = file.prepare("SELECT app, gpu, point FROM results");
  if (!statement)
    return tl::unexpected(statement.error());
  std::vector<Fingerprint> keys;
  for (;;) {
    const Expected<bool> row = statement->step(file);
    if (!row)
      return tl::unexpected(row.error());
    if (!*row)
      break;
    keys.push_back(key_of(statement->text(0), statement->text(1), statement->text(2)));
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

void ResultStore::Database::bind_row(const ResultRow& row, std::string_view assumptions) {
  int column = 0;
  for (const std::string* text : {&row.app, &row.gpu, &row.point})
    add_row->bind(++column, *text);
  for (const std::string& key : contents.keys) {
    const auto setting = std::find_if(row.settings.begin(), row.settings.end(),
                                      [&](const configs::Setting& s) { return s.key == key; });
    if (setting == row.settings.end())
      add_row->bind_null(++column);
    else
      add_row->bind(++column, std::string_view(setting->value)); // NUMERIC columns store numbers as such
  }
  for (const double time : {row.total_time_us, row.gpu_busy_us})
    if (row.error.empty())
      add_row->bind(++column, time);
    else
      add_row->bind_null(++column);
  if (row.error.empty())
    add_row->bind_null(++column);
  else
    add_row->bind(++column, std::string_view(row.error));
  for (const std::string_view text :
       {std::string_view(row.gpu_hash), std::string_view(contents.program), assumptions})
    add_row->bind(++column, text);
}

Expected<void> ResultStore::Database::add(const ResultRow& row) {
  const std::string assumptions = fingerprint(row.assumptions).text();
  bind_row(row, assumptions);
  if (const auto done = add_row->step(connection); !done)
    return tl::unexpected(done.error());
  add_assumptions->bind(1, assumptions);
  add_assumptions->bind(2, std::string_view(row.assumptions));
  if (const auto done = add_assumptions->step(connection); !done)
    return tl::unexpected(done.error());
  for (const KernelResult& k : row.kernels) {
    int column = 0;
    for (const std::string* text : {&row.app, &row.gpu, &row.point, &k.kernel})
      add_kernel->bind(++column, *text);
    for (const double number :
         {k.launches, k.time_us, k.cycles, k.warp_instructions, k.ipc_per_sm, k.ctas_per_sm, k.warps_per_sm,
          k.occupancy, k.registers, k.l1_hit, k.l2_hit, k.l2_bytes, k.dram_bytes})
      add_kernel->bind(++column, number);
    for (const std::string* text : {&k.limiter, &k.bound})
      add_kernel->bind(++column, *text);
    if (const auto done = add_kernel->step(connection); !done)
      return tl::unexpected(done.error());
  }
  return {};
}

Expected<void> ResultStore::add(std::span<const ResultRow> rows) {
  const Connection& file = database_->connection;
  Expected<void> done = file.run("BEGIN IMMEDIATE");
  for (const ResultRow& row : rows)
    if (done)
      done = database_->add(row);
  if (done)
    done = file.run("COMMIT");
  if (!done)
    (void)file.run("ROLLBACK"); // fails where SQLite has already done so
  return done;
}

Expected<std::string> ResultStore::csv() const {
  const Connection& file = database_->connection;
  Expected<Statement> statement = file.prepare(select_rows(database_->contents));
  if (!statement)
    return tl::unexpected(statement.error());
  const std::vector<std::string> columns = row_columns(database_->contents);
  std::string text;
  append_csv_line(columns, text);
  for (;;) {
    const Expected<bool> row = statement->step(file);
    if (!row)
      return tl::unexpected(row.error());
    if (!*row)
      return text;
    std::vector<std::string> cells;
    for (int c = 0; c < static_cast<int>(columns.size()); ++c)
      cells.push_back(statement->cell(c));
    append_csv_line(cells, text);
  }
}

Expected<std::vector<ResultRow>> ResultStore::rows() const {
  const Connection& file = database_->connection;
  Expected<Statement> statement = file.prepare(select_rows(database_->contents));
  if (!statement)
    return tl::unexpected(statement.error());
  const auto keys = static_cast<int>(database_->contents.keys.size());
  std::vector<ResultRow> rows;
  for (;;) {
    const Expected<bool> there = statement->step(file);
    if (!there)
      return tl::unexpected(there.error());
    if (!*there)
      return rows;
    ResultRow row;
    row.app = statement->text(0);
    row.gpu = statement->text(1);
    row.point = statement->text(2);
    for (int k = 0; k < keys; ++k)
      if (!statement->is_null(3 + k))
        row.settings.push_back(
            {database_->contents.keys[static_cast<std::size_t>(k)], statement->cell(3 + k)});
    row.total_time_us = statement->number(3 + keys);
    row.gpu_busy_us = statement->number(4 + keys);
    row.error = statement->text(5 + keys);
    row.gpu_hash = statement->text(6 + keys);
    rows.push_back(std::move(row));
  }
}

Expected<void> ResultStore::close() {
  database_->add_row.reset();
  database_->add_kernel.reset();
  database_->add_assumptions.reset();
  const Connection& file = database_->connection;
  Expected<void> done = file.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database_.reset();
  return done;
}

} // namespace kerncast::sweep
