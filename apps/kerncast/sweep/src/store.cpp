#include "sweep/store.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

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
  std::optional<Statement> add_app = {}, add_point = {}, add_prediction = {}, add_kernel = {},
                           add_assumptions = {};

  // What the file holds, as nobody else writes to it: numbers of applications and of points, by "GPU\npoint",
  // and which rows there are.
  std::unordered_map<std::string, std::uint32_t> apps = {}, points = {};
  std::vector<std::vector<bool>> there = {};        // by application and point
  std::unordered_set<std::string> assumptions = {}; // hashes
  struct Hashed {
    std::string texts, hash;
  };
  std::vector<Hashed> latest_assumptions = {}; // by application: those of most of its rows

  Expected<void> know();
  Expected<void> add(const ResultRow& row);
  Expected<void> add_kernels(const ResultRow& row, std::uint32_t app, std::uint32_t point);
  Expected<std::uint32_t> number_of_app(const ResultRow& row);
  Expected<std::uint32_t> number_of_point(const ResultRow& row);
  Expected<void> keep_assumptions(const ResultRow& row, Hashed& latest);
  std::vector<bool>::reference is_there(std::uint32_t app, std::uint32_t point);
  Expected<void> done(Statement& statement) {
    return statement.step(connection).map([](bool /*has_row*/) {});
  }
};

namespace {

constexpr int oldest_schema = 1;

// The schema of a file of ours; 0: it is empty.
Expected<int> known_schema(const Connection& file) {
  const auto application = file.value("PRAGMA application_id");
  const auto schema = file.value("PRAGMA user_version");
  const auto tables = file.value("SELECT count(*) FROM sqlite_master");
  for (const auto* value : {&application, &schema, &tables})
    if (!*value)
      return tl::unexpected(value->error());
  if (*tables == "0")
    return 0;
  if (*application != std::to_string(store_application))
    return file.refuse("a database, but no result file of a sweep", "name another file");
  int known = oldest_schema;
  while (known <= store_schema && *schema != std::to_string(known))
    ++known;
  if (known > store_schema)
    return file.refuse(fmt::format("written by a newer kerncast: its schema is {}, this program knows {}",
                                   *schema, store_schema),
                       "use that program, or name another file");
  return known;
}

// That the file is whole and has rows of this sweep.
Expected<void> check_contents(const Connection& file, const StoreContents& contents) {
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
  return {};
}

Expected<void> prepare_file(const Connection& file, const StoreContents& contents) {
  if (const auto patient = file.run("PRAGMA busy_timeout = 2000"); !patient)
    return patient;
  const Expected<int> schema = known_schema(file);
  if (!schema)
    return tl::unexpected(schema.error());
  if (const auto checked = *schema == 0 ? Expected<void>{} : check_contents(file, contents); !checked)
    return checked;
  // NORMAL: a kill loses nothing, a power cut at most the latest rows. Pages that many rows go to are copied
  // from the log to the file once in 64 MB, not once in 4.
  if (const auto mode = file.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; "
                                 "PRAGMA wal_autocheckpoint = 16384");
      !mode || *schema == store_schema)
    return mode;
  return file.run("BEGIN IMMEDIATE; " + (*schema == 0 ? schema_of(contents) : migration_of(contents)) +
                  " COMMIT");
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
  auto database = std::unique_ptr<Database>(
      new Database{.lock = std::move(*lock), .connection = std::move(*connection), .contents = contents});
  const Connection& file = database->connection;
  for (auto [statement, sql] : {std::pair(&database->add_app, insert_app()),
                                {&database->add_point, insert_point(contents)},
                                {&database->add_prediction, insert_prediction()},
                                {&database->add_kernel, insert_kernel()},
                                {&database->add_assumptions, insert_assumptions()}}) {
    Expected<Statement> prepared = file.prepare(sql);
    if (!prepared)
      return tl::unexpected(prepared.error());
    statement->emplace(std::move(*prepared));
  }
  if (const Expected<void> known = database->know(); !known)
    return tl::unexpected(known.error());
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

Expected<void> ResultStore::Database::know() {
  for (auto* forgotten : {&apps, &points})
    forgotten->clear();
  there.clear();
  assumptions.clear();
  latest_assumptions.clear();
  const auto read = [&](const std::string& sql, const std::function<void(const Statement&)>& use) {
    return connection.prepare(sql).and_then([&](Statement&& rows) -> Expected<void> {
      Expected<bool> row = rows.step(connection);
      for (; row && *row; row = rows.step(connection))
        use(rows);
      return row.map([](bool /*has_row*/) {});
    });
  };
  const auto number = [](const Statement& row, int column) {
    return static_cast<std::uint32_t>(row.number(column));
  };
  return read("SELECT app, number FROM apps",
              [&](const Statement& row) { apps.emplace(row.text(0), number(row, 1)); })
      .and_then([&] {
        return read("SELECT gpu || char(10) || point, number FROM points",
                    [&](const Statement& row) { points.emplace(row.text(0), number(row, 1)); });
      })
      .and_then([&] {
        return read("SELECT app_number, point_number FROM predictions",
                    [&](const Statement& row) { is_there(number(row, 0), number(row, 1)) = true; });
      })
      .and_then([&] {
        return read("SELECT hash FROM assumptions",
                    [&](const Statement& row) { assumptions.insert(row.text(0)); });
      });
}

std::vector<bool>::reference ResultStore::Database::is_there(std::uint32_t app, std::uint32_t point) {
  if (there.size() <= app)
    there.resize(app + 1);
  if (there[app].size() <= point)
    there[app].resize(point + 1);
  return there[app][point];
}

Expected<std::uint32_t> ResultStore::Database::number_of_app(const ResultRow& row) {
  const auto [known, is_new] = apps.emplace(row.app, apps.size() + 1);
  if (!is_new)
    return known->second;
  add_app->bind(1, static_cast<double>(known->second));
  add_app->bind(2, std::string_view(row.app));
  return done(*add_app).map([&] { return known->second; });
}

Expected<std::uint32_t> ResultStore::Database::number_of_point(const ResultRow& row) {
  const auto [known, is_new] = points.emplace(row.gpu + '\n' + row.point, points.size() + 1);
  if (!is_new)
    return known->second;
  int column = 0;
  add_point->bind(++column, static_cast<double>(known->second));
  for (const std::string* text : {&row.gpu, &row.point, &row.gpu_hash})
    add_point->bind(++column, *text);
  for (const std::string& key : contents.keys) {
    const auto setting = std::find_if(row.settings.begin(), row.settings.end(),
                                      [&](const configs::Setting& s) { return s.key == key; });
    if (setting == row.settings.end())
      add_point->bind_null(++column);
    else
      add_point->bind(++column, std::string_view(setting->value)); // NUMERIC columns store numbers as such
  }
  return done(*add_point).map([&] { return known->second; });
}

Expected<void> ResultStore::Database::keep_assumptions(const ResultRow& row, Hashed& latest) {
  if (!latest.hash.empty() && latest.texts == row.assumptions)
    return {};
  latest = {row.assumptions, fingerprint(row.assumptions).text()};
  if (!assumptions.insert(latest.hash).second)
    return {};
  add_assumptions->bind(1, latest.hash);
  add_assumptions->bind(2, std::string_view(row.assumptions));
  return done(*add_assumptions);
}

Expected<void> ResultStore::Database::add_kernels(const ResultRow& row, std::uint32_t app,
                                                  std::uint32_t point) {
  for (const KernelResult& k : row.kernels) {
    int column = 0;
    for (const std::uint32_t number : {app, point})
      add_kernel->bind(++column, static_cast<double>(number));
    add_kernel->bind(++column, std::string_view(k.kernel));
    for (const double number :
         {k.launches, k.time_us, k.cycles, k.warp_instructions, k.ipc_per_sm, k.ctas_per_sm, k.warps_per_sm,
          k.occupancy, k.registers, k.l1_hit, k.l2_hit, k.l2_bytes, k.dram_bytes})
      add_kernel->bind(++column, number);
    for (const std::string* text : {&k.limiter, &k.bound})
      add_kernel->bind(++column, *text);
    if (const Expected<void> added = done(*add_kernel); !added)
      return added;
  }
  return {};
}

Expected<void> ResultStore::Database::add(const ResultRow& row) {
  const Expected<std::uint32_t> app = number_of_app(row), point = number_of_point(row);
  for (const auto* number : {&app, &point})
    if (!*number)
      return tl::unexpected(number->error());
  auto known = is_there(*app, *point);
  if (known)
    return {};
  known = true;
  latest_assumptions.resize(std::max<std::size_t>(latest_assumptions.size(), *app + 1));
  Hashed& latest = latest_assumptions[*app];
  if (const Expected<void> kept = keep_assumptions(row, latest); !kept)
    return kept;
  int column = 0;
  for (const std::uint32_t number : {*app, *point})
    add_prediction->bind(++column, static_cast<double>(number));
  for (const double time : {row.total_time_us, row.gpu_busy_us})
    if (row.error.empty())
      add_prediction->bind(++column, time);
    else
      add_prediction->bind_null(++column);
  if (row.error.empty())
    add_prediction->bind_null(++column);
  else
    add_prediction->bind(++column, std::string_view(row.error));
  add_prediction->bind(++column, latest.hash);
  if (const Expected<void> added = done(*add_prediction); !added)
    return added;
  return add_kernels(row, *app, *point);
}

Expected<void> ResultStore::add(std::span<const ResultRow> rows) {
  const Connection& file = database_->connection;
  Expected<void> done = file.run("BEGIN IMMEDIATE");
  for (const ResultRow& row : rows)
    if (done)
      done = database_->add(row);
  if (done)
    done = file.run("COMMIT");
  if (!done) {
    (void)file.run("ROLLBACK"); // fails where SQLite has already done so
    (void)database_->know();    // what the rows brought with them is not there either
  }
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
  for (auto* statement : {&database_->add_app, &database_->add_point, &database_->add_prediction,
                          &database_->add_kernel, &database_->add_assumptions})
    statement->reset();
  const Connection& file = database_->connection;
  Expected<void> done = file.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database_.reset();
  return done;
}

} // namespace kerncast::sweep
