// A result file in a folder of its own, and what can be seen of it from outside.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "../../temporary_folder.h"
#include "sweep/store.h"

namespace kerncast::sweep::test {

class Stores : public testing::Test {
protected:
  std::filesystem::path file() const { return folder_.path() / "r.sqlite"; }
  Expected<ResultStore> open(const StoreContents& contents = own()) const {
    return ResultStore::open(file(), contents);
  }
  std::string refusal(const StoreContents& contents = own()) const {
    const Expected<ResultStore> store = open(contents);
    return store ? "" : render(store.error());
  }
  void run(const std::string& sql) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }

  // All columns of all rows, in one text.
  std::string value(const std::string& sql) const {
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(file().c_str(), &db), SQLITE_OK);
    std::string text;
    const auto append = [](void* to, int columns, char** cells, char** /*names*/) {
      for (int c = 0; c < columns; ++c)
        *static_cast<std::string*>(to) +=
            (c == 0 ? "" : "|") + std::string(cells[c] == nullptr ? "" : cells[c]);
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), append, &text, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
    return text;
  }

  std::string bytes() const {
    std::ostringstream text;
    text << std::ifstream(file(), std::ios::binary).rdbuf();
    return text.str();
  }
  void write(std::string_view bytes) const { std::ofstream(file(), std::ios::binary) << bytes; }

  static std::string csv_of(const ResultStore& store) {
    std::string text;
    EXPECT_TRUE(store.csv([&](std::string_view piece) {
      text += piece;
      return Expected<void>();
    }));
    return text;
  }

  static StoreContents own() { return {"s", "0.1.0+a", fingerprint("s"), {"l2.mib", "scheduler"}}; }

  static ResultRow row(const std::string& mib, double time) {
    ResultRow r;
    r.app = "a";
    r.gpu = "g";
    r.point = "l2.mib=" + mib;
    r.settings = {{"l2.mib", mib}, {"scheduler", "gto"}};
    r.total_time_us = time;
    r.gpu_busy_us = time / 2;
    r.gpu_hash = "h" + mib;
    r.assumptions = "one\ntwo\n";
    r.kernels.push_back({.kernel = "k", .launches = 1, .time_us = time, .limiter = "ctas", .bound = "issue"});
    return r;
  }

private:
  kerncast::test::TemporaryFolder folder_;
};

} // namespace kerncast::sweep::test
