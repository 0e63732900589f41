#include "sweep/store.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "lock_file.h"
#include "sqlite.h"
#include "store_check.h"
#include "store_schema.h"

namespace kerncast::sweep {

struct ResultStore::Database {
  // Closed last: closing a descriptor of the file ends SQLite's own locks on it.
  LockedFile lock;
  Connection connection;
  StoreContents contents;
  std::optional<Statement> add_app = {}, add_point = {}, complete_point = {}, add_prediction = {},
                           add_kernel = {}, add_assumptions = {};

  // What the file holds, as nobody else writes to it: numbers of applications and of points, by "GPU\npoint",
  // and which rows there are.
  using Numbers = std::unordered_map<std::string, std::uint32_t>;
  Numbers apps = {}, points = {};
  std::vector<std::vector<bool>> there = {};        // by application and point
  std::unordered_set<std::string> assumptions = {}; // hashes
  struct Hashed {
    std::string texts, hash;
  };
  std::vector<Hashed> latest_assumptions = {}; // by application: those of most of its rows

  // Makes the tables, or reads what is there.
  Expected<void> begin();
  Expected<void> check(int schema);
  Expected<void> prepare();
  Expected<void> know();
  Expected<void> each_checked(Table table, const std::string& columns, int count,
                              const Connection::UseRow& use) const;
  Expected<void> know_names(Table table, const std::string& name, Numbers& numbers) const;
  Expected<void> know_assumptions();
  Expected<void> know_predictions();
  Expected<void> check_kernels();
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

std::string name_of(const Plan& plan, const Point& point) {
  return plan.bases[point.base].name + '\n' + text_of(point);
}

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

// A number of an application or a point, of which there are so many; 0: it is none.
std::uint32_t number_in(const Statement& row, int column, std::size_t most) {
  const double number = row.number(column);
  return number >= 1 && number <= static_cast<double>(most) ? static_cast<std::uint32_t>(number) : 0;
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
  auto database = std::unique_ptr<Database>(
      new Database{.lock = std::move(*lock), .connection = std::move(*connection), .contents = contents});
  return database->begin().map([&] { return ResultStore(std::move(database)); });
}

Expected<void> ResultStore::Database::begin() {
  return connection.run("PRAGMA busy_timeout = 2000")
      .and_then([&] { return known_schema(connection); })
      .and_then([&](int schema) {
        return schema == 0 ? connection.run("BEGIN IMMEDIATE; " + schema_of(contents) + " COMMIT")
                           : check(schema);
      })
      // NORMAL: a kill loses nothing, a power cut at most the latest rows. Pages that many rows go to are
      // copied from the log to the file once in 64 MB, not once in 4.
      .and_then([&] {
        return connection.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; "
                              "PRAGMA wal_autocheckpoint = 16384");
      })
      .and_then([&] { return prepare(); });
}

// A file of an older schema becomes one of this if it is whole then; else it stays as it was.
Expected<void> ResultStore::Database::check(int schema) {
  const bool is_old = schema != store_schema;
  return check_file(connection, contents)
      .and_then([&] {
        return is_old ? connection.run("BEGIN IMMEDIATE; " + migration_of(schema, contents))
                      : Expected<void>{};
      })
      .and_then([&] { return check_schema(connection, contents); })
      .and_then([&] { return know(); })
      .and_then([&] { return is_old ? connection.run("COMMIT") : Expected<void>{}; });
}

Expected<void> ResultStore::Database::prepare() {
  for (auto [statement, sql] : {std::pair(&add_app, insert_row(Table::apps, contents)),
                                {&add_point, insert_row(Table::points, contents)},
                                {&complete_point, update_latest_point(contents)},
                                {&add_prediction, insert_row(Table::predictions, contents)},
                                {&add_kernel, insert_row(Table::kernel_predictions, contents)},
                                {&add_assumptions, insert_assumptions()}}) {
    Expected<Statement> prepared = connection.prepare(sql);
    if (!prepared)
      return tl::unexpected(prepared.error());
    statement->emplace(std::move(*prepared));
  }
  return {};
}

Expected<std::vector<Fingerprint>> ResultStore::keys() const {
  std::vector<Fingerprint> keys;
  return database_->connection
      .each("SELECT app, gpu, point FROM results",
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
  there.clear();
  latest_assumptions.clear();
  return know_names(Table::apps, "app", apps)
      .and_then([&] { return know_names(Table::points, "gpu || char(10) || point", points); })
      .and_then([&] { return know_assumptions(); })
      .and_then([&] { return know_predictions(); })
      .and_then([&] { return check_kernels(); });
}

// `columns`: so many, listed.
Expected<void> ResultStore::Database::each_checked(Table table, const std::string& columns, int count,
                                                   const Connection::UseRow& use) const {
  return connection.each(select_checked(table, columns, contents), [&](const Statement& row) {
    return row.number(count) == 1
               ? use(row)
               : connection.damaged(fmt::format("a row of '{}' is not what was written", name_of(table)));
  });
}

// They count from 1 without gaps.
Expected<void> ResultStore::Database::know_names(Table table, const std::string& name,
                                                 Numbers& numbers) const {
  numbers.clear();
  std::uint32_t last = 0;
  return each_checked(table, name + ", number", 2, [&](const Statement& row) -> Expected<void> {
    const std::uint32_t number = number_in(row, 1, UINT32_MAX);
    if (number != ++last || !numbers.emplace(row.text(0), number).second)
      return connection.damaged(fmt::format("rows of '{}' are missing", name_of(table)));
    return {};
  });
}

Expected<void> ResultStore::Database::know_assumptions() {
  assumptions.clear();
  return connection.each("SELECT hash, texts FROM assumptions", [&](const Statement& row) -> Expected<void> {
    if (row.text(0) != fingerprint(row.text(1)).text())
      return connection.damaged("an assumption is not what was written");
    assumptions.insert(row.text(0));
    return {};
  });
}

Expected<void> ResultStore::Database::know_predictions() {
  return each_checked(
      Table::predictions, "app_number, point_number, assumptions, total_time_us, gpu_busy_us", 5,
      [&](const Statement& row) -> Expected<void> {
        const std::uint32_t app = number_in(row, 0, apps.size()), point = number_in(row, 1, points.size());
        if (app == 0 || point == 0 || is_there(app, point) || !assumptions.contains(row.text(2)))
          return connection.damaged("a row is there twice, or what it refers to is missing");
        if (!std::isfinite(row.number(3)) || !std::isfinite(row.number(4)))
          return connection.damaged("a time is not finite");
        is_there(app, point) = true;
        return {};
      });
}

Expected<void> ResultStore::Database::check_kernels() {
  return each_checked(
      Table::kernel_predictions, "app_number, point_number", 2, [&](const Statement& row) -> Expected<void> {
        const std::uint32_t app = number_in(row, 0, apps.size()), point = number_in(row, 1, points.size());
        if (app == 0 || point == 0 || !is_there(app, point))
          return connection.damaged("a kernel is there without its row");
        return {};
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
  return done(*add_point).and_then([&] { return done(*complete_point); }).map([&] { return known->second; });
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
  return database.connection
      .each(select_rows(database.contents),
            [&](const Statement& row) -> Expected<void> {
              for (std::size_t c = 0; c < cells.size(); ++c)
                cells[c] = row.cell(static_cast<int>(c));
              append_csv_line(cells, piece);
              return piece.size() < piece_bytes ? Expected<void>{} : write(std::exchange(piece, {}));
            })
      .and_then([&] { return write(piece); });
}

Expected<void> ResultStore::check_names(const Plan& plan, const std::vector<std::string>& apps) const {
  const Database& file = *database_;
  const auto known_apps = std::count_if(apps.begin(), apps.end(),
                                        [&](const std::string& app) { return file.apps.contains(app); });
  const auto known_points = std::count_if(plan.points.begin(), plan.points.end(), [&](const Point& point) {
    return file.points.contains(name_of(plan, point));
  });
  if (static_cast<std::size_t>(known_apps) == file.apps.size() &&
      static_cast<std::size_t>(known_points) == file.points.size())
    return {};
  return file.connection.damaged("it has rows of applications, GPUs or points that the sweep does not have");
}

Expected<Times> ResultStore::times(const Plan& plan, const std::vector<std::string>& apps) const {
  Indices app_of, point_of;
  for (std::uint32_t a = 0; a < apps.size(); ++a)
    app_of.put(database_->apps, apps[a], a);
  for (std::uint32_t p = 0; p < plan.points.size(); ++p) {
    point_of.put(database_->points, name_of(plan, plan.points[p]), p);
  }
  Times times(plan.points.size(), apps);
  return database_->connection
      .each("SELECT app_number, point_number, total_time_us, gpu_busy_us FROM predictions "
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
  return database_->connection
      .each("SELECT count(*) FROM predictions WHERE error IS NOT NULL",
            [&](const Statement& row) -> Expected<void> {
              failed.count = static_cast<std::uint64_t>(row.number(0));
              return {};
            })
      .and_then([&] {
        return database_->connection.each(select_first_failed(database_->contents),
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
  for (auto* statement : {&database_->add_app, &database_->add_point, &database_->complete_point,
                          &database_->add_prediction, &database_->add_kernel, &database_->add_assumptions})
    statement->reset();
  const Connection& file = database_->connection;
  Expected<void> done = file.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database_.reset();
  return done;
}

} // namespace kerncast::sweep
