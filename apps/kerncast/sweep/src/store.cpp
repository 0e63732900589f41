#include "sweep/store.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

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

  using UseRow = std::function<Expected<void>(const Statement& row)>;
  Expected<void> each(const std::string& sql, const UseRow& use) const;
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

// Indices of what the file has numbers for.
class Indices {
public:
  static constexpr std::uint32_t none = UINT32_MAX;

  // If the name has a number.
  void put(const std::unordered_map<std::string, std::uint32_t>& numbers, const std::string& name,
           std::uint32_t index) {
    const auto known = numbers.find(name);
    if (known == numbers.end())
      return;
    if (of_number_.size() <= known->second)
      of_number_.resize(known->second + 1, none);
    of_number_[known->second] = index;
  }
  std::uint32_t at(double number) const {
    const auto n = static_cast<std::size_t>(number);
    return n < of_number_.size() ? of_number_[n] : none;
  }

private:
  std::vector<std::uint32_t> of_number_;
};

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

// Until there is no row, or `use` fails.
Expected<void> ResultStore::Database::each(const std::string& sql, const UseRow& use) const {
  Expected<Statement> rows = connection.prepare(sql);
  if (!rows)
    return tl::unexpected(rows.error());
  Expected<void> used;
  Expected<bool> row = rows->step(connection);
  for (; row && *row && used; row = rows->step(connection))
    used = use(*rows);
  return row ? used : tl::unexpected(row.error());
}

Expected<std::vector<Fingerprint>> ResultStore::keys() const {
  std::vector<Fingerprint> keys;
  return database_
      ->each("SELECT app, gpu, point FROM results",
             [&](const Statement& row) -> Expected<void> {
               keys.push_back(key_of(row.text(0), row.text(1), row.text(2)));
               return {};
             })
      .map([&] {
        std::sort(keys.begin(), keys.end());
        return std::move(keys);
      });
}

Expected<void> ResultStore::Database::know() {
  for (auto* forgotten : {&apps, &points})
    forgotten->clear();
  there.clear();
  assumptions.clear();
  latest_assumptions.clear();
  const auto read = [&](const std::string& sql, const std::function<void(const Statement&)>& use) {
    return each(sql, [&](const Statement& row) -> Expected<void> {
      use(row);
      return {};
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

Expected<void> ResultStore::csv(const WriteText& write) const {
  constexpr std::size_t piece_bytes = 1U << 16;
  const Database& database = *database_;
  const std::vector<std::string> columns = row_columns(database.contents);
  std::string piece;
  append_csv_line(columns, piece);
  std::vector<std::string> cells(columns.size());
  return database
      .each(select_rows(database.contents),
            [&](const Statement& row) -> Expected<void> {
              for (std::size_t c = 0; c < cells.size(); ++c)
                cells[c] = row.cell(static_cast<int>(c));
              append_csv_line(cells, piece);
              return piece.size() < piece_bytes ? Expected<void>{} : write(std::exchange(piece, {}));
            })
      .and_then([&] { return write(piece); });
}

Expected<Times> ResultStore::times(const Plan& plan, const std::vector<std::string>& apps) const {
  Indices app_of, point_of;
  for (std::uint32_t a = 0; a < apps.size(); ++a)
    app_of.put(database_->apps, apps[a], a);
  for (std::uint32_t p = 0; p < plan.points.size(); ++p) {
    const Point& point = plan.points[p];
    point_of.put(database_->points, plan.bases[point.base].name + '\n' + text_of(point), p);
  }
  Times times(plan.points.size(), apps);
  return database_
      ->each("SELECT app_number, point_number, total_time_us, gpu_busy_us FROM predictions "
             "WHERE error IS NULL",
             [&](const Statement& row) -> Expected<void> {
               const std::uint32_t app = app_of.at(row.number(0)), point = point_of.at(row.number(1));
               if (app != Indices::none && point != Indices::none)
                 times.set(point, app, {row.number(2), row.number(3)});
               return {};
             })
      .map([&] { return std::move(times); });
}

Expected<FailedRows> ResultStore::failed() const {
  FailedRows failed;
  return database_
      ->each("SELECT count(*) FROM predictions WHERE error IS NOT NULL",
             [&](const Statement& row) -> Expected<void> {
               failed.count = static_cast<std::uint64_t>(row.number(0));
               return {};
             })
      .and_then([&] {
        return database_->each(select_first_failed(database_->contents),
                               [&](const Statement& row) -> Expected<void> {
                                 failed.app = row.text(0);
                                 failed.gpu = row.text(1);
                                 failed.point = row.text(2);
                                 failed.error = row.text(3);
                                 return {};
                               });
      })
      .map([&] { return std::move(failed); });
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
