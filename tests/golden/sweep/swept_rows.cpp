#include "swept_rows.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "program.h"

namespace kerncast::test {

std::set<std::string> rows_in(const std::string& results) {
  std::set<std::string> rows;
  sqlite3* db = nullptr;
  const auto add = [](void* to, int columns, char** cells, char** /*names*/) {
    std::string row;
    for (int c = 0; c < columns; ++c)
      row += std::string(cells[c] == nullptr ? "" : cells[c]) + '|';
    static_cast<std::set<std::string>*>(to)->insert(row);
    return 0;
  };
  if (sqlite3_open_v2(results.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK)
    sqlite3_exec(db, "SELECT * FROM results JOIN kernels USING (app, gpu, point)", add, &rows, nullptr);
  sqlite3_close(db);
  return rows;
}

std::string csv_of(const std::string& file, const std::string& results) {
  const Ended swept = kerncast("sweep " + file + " -o " + results + " --csv - --json /dev/null");
  EXPECT_EQ(swept.exit_code, 0) << swept.err;
  return swept.out;
}

} // namespace kerncast::test
