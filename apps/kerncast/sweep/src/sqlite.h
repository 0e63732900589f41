// SQLite with statements as values and errors as diagnostics of the file.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "support/diagnostics.h"

namespace kerncast::sweep {

class Connection;

class Statement {
public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  // The text must live until the statement has been stepped through.
  void bind(int column, std::string_view text);
  void bind(int column, double number);
  void bind_null(int column);
  // Whether there is a row; after the last one the statement can be bound again.
  Expected<bool> step(const Connection& connection);
  std::string text(int column) const;
  double number(int column) const;
  bool is_null(int column) const;
  // Numbers in the shortest form that reads back as the same double.
  std::string cell(int column) const;

private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// Used by one thread at a time.
class Connection {
public:
  // A name is one of a file, also where SQLite would see a URI or a database in memory.
  static Expected<Connection> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path log() const; // beside the file, in WAL mode

  Expected<void> run(const std::string& sql) const;
  Expected<Statement> prepare(const std::string& sql) const;
  // Until there is no row, or `use` fails.
  using UseRow = std::function<Expected<void>(const Statement& row)>;
  Expected<void> each(const std::string& sql, const UseRow& use) const;
  // The first column of the first row.
  Expected<std::string> value(const std::string& sql) const;
  // The latest failure, in words that help.
  tl::unexpected<Diagnostics> failure() const;
  tl::unexpected<Diagnostics> damaged(std::string_view how) const;
  tl::unexpected<Diagnostics> refuse(std::string message, std::string note) const;

private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  Connection(std::filesystem::path path, sqlite3* db) : path_(std::move(path)), db_(db) {}
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> db_;
};

} // namespace kerncast::sweep
