// A result file keeps what it was given, once, and refuses what is not its own.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sstream>

#include <gtest/gtest.h>

#include "stores.h"
#include "sweep_text.h"

namespace kerncast::sweep::test {
namespace {

namespace fs = std::filesystem;

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
  EXPECT_NE(refusal().find("written by a newer kerncast: its schema is 7, this program knows 3"),
            std::string::npos)
      << refusal();
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
  row.assumptions = "one\n";
  ResultRow other = row;
  other.assumptions = "two\n";
  const std::vector<ResultRow> rows = decode(encode(std::vector{row, row, other, row}));
  ASSERT_EQ(rows.size(), 4U);
  const ResultRow& same = rows[1];
  for (const std::size_t one : {0U, 1U, 3U})
    EXPECT_EQ(rows[one].assumptions, "one\n");
  EXPECT_EQ(rows[2].assumptions, "two\n");
  EXPECT_EQ(same.app, "a");
  EXPECT_EQ(same.point, row.point);
  EXPECT_EQ(same.total_time_us, 0.1);
  EXPECT_EQ(same.settings.front().value, "v");
  EXPECT_EQ(same.kernels.front().time_us, 3);
}

} // namespace
} // namespace kerncast::sweep::test
