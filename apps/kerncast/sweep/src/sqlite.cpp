#include "sqlite.h"

#include <cstring>

#include <fmt/format.h>

#include "checksum.h"

namespace kerncast::sweep {
namespace {

struct Failure {
  int code; // of SQLite
  std::string_view message;
  std::string_view note;
};
constexpr std::string_view keep_note =
    "move the file away to compute everything anew; nothing in it was changed";
constexpr Failure failures[] = {
    {SQLITE_NOTADB, "no result file of a sweep", keep_note},
    {SQLITE_CORRUPT, "a damaged result file", keep_note},
    {SQLITE_FULL, "cannot write: no space left", "what was finished is kept; make room and ask again"},
    {SQLITE_IOERR, "cannot read or write",
     "what was finished is kept; check the disk and its quota, and ask again"},
    {SQLITE_NOMEM, "not enough memory", "what was finished is kept; ask again where there is more"},
    {SQLITE_BUSY, "another program holds the file", "wait until it has ended, or name another file"},
    {SQLITE_LOCKED, "another program holds the file", "wait until it has ended, or name another file"},
    {SQLITE_READONLY, "cannot write: the file or its folder is read-only",
     "name a file in a folder of your own"},
    {SQLITE_CANTOPEN, "cannot open or make the file beside it",
     "name a file in a folder that can be written to"}};

} // namespace

void Statement::bind(int column, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), column, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind(int column, double number) { sqlite3_bind_double(statement_.get(), column, number); }

void Statement::bind_null(int column) { sqlite3_bind_null(statement_.get(), column); }

Expected<bool> Statement::step(const Connection& connection) {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW)
    return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_.get());
    return false;
  }
  auto failed = connection.failure();
  sqlite3_reset(statement_.get());
  return failed;
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return text == nullptr
             ? std::string()
             : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

double Statement::number(int column) const { return sqlite3_column_double(statement_.get(), column); }

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::string Statement::cell(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? fmt::format("{}", number(column)) : text(column);
}

Expected<Connection> Connection::open(const std::filesystem::path& path) {
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(std::filesystem::absolute(path).c_str(), &db,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Connection connection(path, db);
  if (code != SQLITE_OK || add_checksum_of(db) != SQLITE_OK)
    return connection.failure();
  return connection;
}

std::filesystem::path Connection::log() const {
  return sqlite3_filename_wal(sqlite3_db_filename(db_.get(), "main"));
}

Expected<void> Connection::run(const std::string& sql) const {
  if (sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return failure();
  return {};
}

Expected<Statement> Connection::prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    return failure();
  return Statement(statement);
}

Expected<void> Connection::each(const std::string& sql, const UseRow& use) const {
  Expected<Statement> rows = prepare(sql);
  if (!rows)
    return tl::unexpected(rows.error());
  Expected<void> used;
  Expected<bool> row = rows->step(*this);
  for (; row && *row && used; row = rows->step(*this))
    used = use(*rows);
  return row ? used : tl::unexpected(row.error());
}

Expected<std::string> Connection::value(const std::string& sql) const {
  Expected<Statement> statement = prepare(sql);
  if (!statement)
    return tl::unexpected(statement.error());
  const Expected<bool> row = statement->step(*this);
  if (!row)
    return tl::unexpected(row.error());
  return *row ? statement->text(0) : std::string();
}

tl::unexpected<Diagnostics> Connection::failure() const {
  const int code = sqlite3_errcode(db_.get());
  const int system = sqlite3_system_errno(db_.get());
  for (const Failure& known : failures)
    if (known.code == code) {
      const bool say_why = (code == SQLITE_IOERR || code == SQLITE_CANTOPEN) && system != 0;
      return refuse(say_why ? fmt::format("{}: {}", known.message, std::strerror(system))
                            : std::string(known.message),
                    std::string(known.note));
    }
  // Every statement is one over the tables of a result file.
  if (code == SQLITE_ERROR || code == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH)
    return damaged(sqlite3_errmsg(db_.get()));
  return refuse(fmt::format("SQLite: {}", sqlite3_errmsg(db_.get())), std::string(keep_note));
}

tl::unexpected<Diagnostics> Connection::damaged(std::string_view how) const {
  return refuse(fmt::format("a damaged result file: {}", how), std::string(keep_note));
}

tl::unexpected<Diagnostics> Connection::refuse(std::string message, std::string note) const {
  Diagnostic d;
  d.file = path_.string();
  d.message = std::move(message);
  d.notes.push_back(std::move(note));
  return fail(std::move(d));
}

} // namespace kerncast::sweep
