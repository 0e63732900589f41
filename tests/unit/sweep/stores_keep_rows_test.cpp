// A result file keeps what it was given, once, and refuses what is not its own.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sstream>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "../../temporary_folder.h"
#include "sweep/store.h"
#include "sweep_text.h"

namespace kerncast::sweep::test {
namespace {

namespace fs = std::filesystem;

class Stores : public testing::Test {
protected:
  fs::path file() const { return folder_.path() / "r.sqlite"; }
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

TEST_F(Stores, RowsComeBackInTheOrderOfTheirValues) {
  {
    Expected<ResultStore> store = open();
    ASSERT_TRUE(store) << render(store.error());
    for (const auto& [mib, time] : {std::pair("10", 1.5), {"9", 2.5}, {"9", 99.0}})
      ASSERT_TRUE(store->add(std::vector{row(mib, time)}));
    ASSERT_TRUE(store->close());
  }
  Expected<ResultStore> again = open();
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(again->keys()->size(), 2U); // the second row of a key is left out
  const std::string hash = fingerprint("one\ntwo\n").text();
  EXPECT_EQ(csv_of(*again), "app,gpu,point,l2.mib,scheduler,total_time_us,gpu_busy_us,error,gpu_hash,program,"
                            "assumptions\n"
                            "a,g,l2.mib=9,9,gto,2.5,1.25,,h9,0.1.0+a," +
                                hash +
                                "\n"
                                "a,g,l2.mib=10,10,gto,1.5,0.75,,h10,0.1.0+a," +
                                hash + "\n");
}

TEST_F(Stores, ARowWithoutPredictionHasNoTimes) {
  Expected<ResultStore> store = open();
  ResultRow failed = row("4", 0);
  failed.error = "no CTA fits, \"sadly\"";
  ASSERT_TRUE(store->add(std::vector{failed}));
  EXPECT_NE(csv_of(*store).find("a,g,l2.mib=4,4,gto,,,\"no CTA fits, \"\"sadly\"\"\",h4"), std::string::npos)
      << csv_of(*store);
}

TEST_F(Stores, FailedRowsAreCountedAndTheFirstOfThemNamed) {
  Expected<ResultStore> store = open();
  EXPECT_EQ(store->failed()->count, 0U);
  for (const char* mib : {"10", "9", "8"}) { // as numbers 9 comes before 10
    ResultRow failed = row(mib, 1);
    failed.error = std::string(mib) == "8" ? "" : "none fits " + std::string(mib);
    ASSERT_TRUE(store->add(std::vector{failed}));
  }
  const Expected<FailedRows> failed = store->failed();
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->count, 2U);
  EXPECT_EQ(failed->app + ' ' + failed->gpu + ' ' + failed->point + ' ' + failed->error,
            "a g l2.mib=9 none fits 9");
}

// A point has times if all applications have a prediction there.
TEST_F(Stores, TimesAreThoseOfThePlansPoints) {
  const Expected<Plan> made = plan(head + "[axes]\nl2.mib = [1, 2, 3, 4, 9]\n");
  ASSERT_TRUE(made) << render(made.error());
  Expected<ResultStore> store = open();
  const auto add = [&](const std::string& app, double mib, const std::string& error) {
    ResultRow one = row(std::to_string(static_cast<int>(mib)), app == "a" ? mib : 10 * mib);
    one.app = app;
    one.gpu = "unit";
    one.error = error;
    ASSERT_TRUE(store->add(std::vector{one}));
  };
  for (const double mib : {4, 1, 3})
    add("a", mib, "");
  for (const double mib : {2, 1, 4})
    add("b", mib, "");
  add("a", 2, "no CTA fits");
  const Expected<Times> times = store->times(*made, {"a", "b"});
  ASSERT_TRUE(times);
  ASSERT_EQ(times->at(0).size(), 2U);
  EXPECT_EQ(times->at(0)[0].total_us, 1);
  EXPECT_EQ(times->at(0)[0].gpu_busy_us, 0.5);
  EXPECT_EQ(times->at(0)[1].total_us, 10);
  EXPECT_TRUE(times->at(1).empty()); // a has no prediction
  EXPECT_TRUE(times->at(2).empty()); // b has no row
  EXPECT_EQ(times->at(3)[1].total_us, 40);
  EXPECT_TRUE(times->at(4).empty()); // there is no row at all
}

TEST_F(Stores, OneJobAtATimeWrites) {
  const Expected<ResultStore> store = open();
  ASSERT_TRUE(store);
  EXPECT_NE(refusal().find("r.sqlite: error: another job writes to this file"), std::string::npos)
      << refusal();
}

TEST_F(Stores, OtherSweepsAndProgramsAreRefused) {
  ASSERT_EQ(refusal(), "");
  StoreContents other = own();
  other.inputs = fingerprint("t");
  EXPECT_NE(refusal(other).find("the results of another sweep, 's'"), std::string::npos);
  other = own();
  other.program = "0.2.0+b";
  EXPECT_NE(refusal(other).find("computed by kerncast 0.1.0+a, but this is 0.2.0+b"), std::string::npos);
}

TEST_F(Stores, NewerSchemasAreRefused) {
  ASSERT_EQ(refusal(), "");
  run("PRAGMA user_version = 7");
  EXPECT_NE(refusal().find("written by a newer kerncast: its schema is 7, this program knows 2"),
            std::string::npos)
      << refusal();
}

// A file of schema 1 as its program left it: every column in every row.
const char* const schema_1 = R"sql(
PRAGMA application_id = 0x6b637377;
PRAGMA user_version = 1;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE assumptions (hash TEXT PRIMARY KEY, texts TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE kernels (
  app TEXT NOT NULL, gpu TEXT NOT NULL, point TEXT NOT NULL, kernel TEXT NOT NULL,
  launches REAL, time_us REAL, cycles REAL, warp_instructions REAL, ipc_per_sm REAL, ctas_per_sm REAL,
  warps_per_sm REAL, occupancy REAL, registers REAL, l1_hit REAL, l2_hit REAL, l2_bytes REAL, dram_bytes REAL,
  limiter TEXT, bound TEXT, PRIMARY KEY (app, gpu, point, kernel)) WITHOUT ROWID;
CREATE TABLE results (app TEXT NOT NULL, gpu TEXT NOT NULL, point TEXT NOT NULL, "l2.mib" NUMERIC,
  "scheduler" NUMERIC, total_time_us REAL, gpu_busy_us REAL, error TEXT, gpu_hash TEXT NOT NULL,
  program TEXT NOT NULL, assumptions TEXT NOT NULL, PRIMARY KEY (app, gpu, point)) WITHOUT ROWID;
INSERT INTO facts VALUES ('name', 's'), ('program', '0.1.0+a');
INSERT INTO results VALUES ('a', 'g', 'l2.mib=4', 4, 'gto', 1.5, 0.75, NULL, 'h4', '0.1.0+a', 'x'),
  ('b', 'g', 'l2.mib=4', 4, 'gto', NULL, NULL, 'no CTA fits', 'h4', '0.1.0+a', 'x'),
  ('a', 'g', 'l2.mib=10', 10, 'gto', 2.5, 1.25, NULL, 'h10', '0.1.0+a', 'x');
INSERT INTO assumptions VALUES ('x', 'one');
INSERT INTO kernels VALUES
  ('a', 'g', 'l2.mib=4', 'k', 1, 1.5, 9, 8, 7, 6, 5, 4, 3, 0.5, 0.25, 2, 1, 'ctas', 'issue'),
  ('a', 'g', 'l2.mib=10', 'k', 1, 2.5, 9, 8, 7, 6, 5, 4, 3, 0.5, 0.25, 2, 1, 'ctas', 'issue');
)sql";

TEST_F(Stores, FilesOfSchema1BecomeThoseOfThisOne) {
  run(schema_1);
  run("INSERT INTO facts VALUES ('inputs', '" + fingerprint("s").text() + "')");
  {
    Expected<ResultStore> store = open();
    ASSERT_TRUE(store) << render(store.error());
    EXPECT_EQ(store->keys()->size(), 3U);
    // What was there stays, what comes is added.
    ASSERT_TRUE(store->add(std::vector{row("4", 99), row("6", 3)}));
    ASSERT_TRUE(store->close());
  }
  EXPECT_EQ(value("PRAGMA user_version"), "2");
  EXPECT_EQ(value("SELECT group_concat(app || point || \"l2.mib\" || ifnull(total_time_us, error), ' ') FROM "
                  "(SELECT * FROM results ORDER BY app, \"l2.mib\")"),
            "al2.mib=441.5 al2.mib=663.0 al2.mib=10102.5 bl2.mib=44no CTA fits");
  EXPECT_EQ(value("SELECT group_concat(point || kernel || time_us || bound, ' ') FROM "
                  "(SELECT * FROM kernels ORDER BY time_us)"),
            "l2.mib=4k1.5issue l2.mib=10k2.5issue l2.mib=6k3.0issue");
  EXPECT_EQ(value("PRAGMA integrity_check"), "ok");
}

TEST_F(Stores, FilesOfSchema1OfOtherProgramsAreRefusedAndStayAsTheyAre) {
  run(schema_1);
  run("INSERT INTO facts VALUES ('inputs', '" + fingerprint("s").text() + "')");
  StoreContents other = own();
  other.program = "0.2.0+b";
  EXPECT_NE(refusal(other).find("computed by kerncast 0.1.0+a"), std::string::npos);
  EXPECT_EQ(value("PRAGMA user_version"), "1");
}

TEST_F(Stores, TheOrderOfArrivalIsNotSeen) {
  std::vector<ResultRow> rows;
  for (const char* const mib : {"9", "10", "2", "7"})
    for (const char* const app : {"b", "a"}) {
      rows.push_back(row(mib, std::stod(mib)));
      rows.back().app = app;
      rows.back().assumptions = app;
    }
  std::set<std::string> contents;
  for (int order = 0; order < 4; ++order) {
    std::rotate(rows.begin(), rows.begin() + 3, rows.end());
    fs::remove(file());
    Expected<ResultStore> store = open();
    ASSERT_TRUE(store);
    for (const ResultRow& one : rows)
      ASSERT_TRUE(store->add(std::span(&one, 1)));
    std::string all = csv_of(*store);
    ASSERT_TRUE(store->close());
    for (const char* const sql :
         {"SELECT * FROM results ORDER BY app, gpu, point",
          "SELECT * FROM kernels ORDER BY app, gpu, point, kernel", "SELECT * FROM assumptions"})
      all += value(sql);
    contents.insert(all);
  }
  EXPECT_EQ(contents.size(), 1U);
}

TEST_F(Stores, OtherFilesAreRefusedAndStayAsTheyAre) {
  run("CREATE TABLE t (x)");
  EXPECT_NE(refusal().find("a database, but no result file of a sweep"), std::string::npos) << refusal();
  std::ofstream(file()) << "name,time\nnot a database at all, but a table of some length as text\n";
  EXPECT_NE(refusal().find("no result file of a sweep"), std::string::npos) << refusal();
  std::ostringstream text;
  text << std::ifstream(file()).rdbuf();
  EXPECT_TRUE(text.str().starts_with("name,time"));
}

TEST_F(Stores, DamageIsNamed) {
  {
    Expected<ResultStore> store = open();
    for (int i = 0; i < 200; ++i)
      ASSERT_TRUE(store->add(std::vector{row(std::to_string(i), i)}));
    ASSERT_TRUE(store->close());
  }
  std::fstream bytes(file(), std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(4096 * 5);
  bytes << std::string(4096 * 3, 'x');
  bytes.close();
  EXPECT_NE(refusal().find("a damaged result file"), std::string::npos) << refusal();
}

TEST_F(Stores, AFolderThatCannotBeWrittenToIsNamed) {
  const Expected<ResultStore> store = ResultStore::open("/proc/r.sqlite", own());
  ASSERT_FALSE(store);
  EXPECT_TRUE(render(store.error()).starts_with("/proc/r.sqlite: error: cannot write: "))
      << render(store.error());
}

TEST(Rows, ReadBackFromTheirBytes) {
  ResultRow row;
  row.app = "a";
  row.point = std::string("x\0y", 3);
  row.total_time_us = 0.1;
  row.settings = {{"k", "v"}};
  row.kernels.push_back({.kernel = "k", .time_us = 3, .limiter = "", .bound = ""});
  const ResultRow same = decode(encode(row));
  EXPECT_EQ(same.app, "a");
  EXPECT_EQ(same.point, row.point);
  EXPECT_EQ(same.total_time_us, 0.1);
  EXPECT_EQ(same.settings.front().value, "v");
  EXPECT_EQ(same.kernels.front().time_us, 3);
}

} // namespace
} // namespace kerncast::sweep::test
