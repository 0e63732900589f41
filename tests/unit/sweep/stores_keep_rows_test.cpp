// A result file keeps what it was given, once, and refuses what is not its own.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "../../temporary_folder.h"
#include "sweep/store.h"

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
  EXPECT_EQ(*again->csv(), "app,gpu,point,l2.mib,scheduler,total_time_us,gpu_busy_us,error,gpu_hash,program,"
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
  EXPECT_NE(store->csv()->find("a,g,l2.mib=4,4,gto,,,\"no CTA fits, \"\"sadly\"\"\",h4"), std::string::npos)
      << *store->csv();
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
  EXPECT_NE(refusal().find("written by a newer kerncast: its schema is 7, this program knows 1"),
            std::string::npos)
      << refusal();
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
