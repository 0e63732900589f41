// A row is the prediction of its application on its GPU, whatever was kept from other points.
#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include "sweep_of.h"

namespace kerncast::test {
namespace {

// The times of the points of a result file by their settings.
std::map<std::string, double> times_in(const std::string& file) {
  sqlite3* db = nullptr;
  sqlite3_stmt* rows = nullptr;
  EXPECT_EQ(sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_prepare_v2(db, "SELECT point, total_time_us FROM results", -1, &rows, nullptr),
            SQLITE_OK);
  std::map<std::string, double> times;
  while (sqlite3_step(rows) == SQLITE_ROW)
    times.emplace(reinterpret_cast<const char*>(sqlite3_column_text(rows, 0)),
                  sqlite3_column_double(rows, 1));
  sqlite3_finalize(rows);
  sqlite3_close(db);
  return times;
}

// Keys of every kind, above all those that are said to reach neither machine programs nor hit rates.
constexpr const char* every_kind = R"([axes]
sms = [12]
clock_mhz = [900]
sub_cores_per_sm = [2]
issue_width = [1]
warp_issue_distance = [2]
scheduler = ["lrr"]
cta_launch_latency = [50]
launch_overhead_us = [9]
l1.kib = [16]
l1.latency = [99]
l2.mib = [0.25]
l2.latency = [333]
l2.bytes_per_clock = [100]
shared.latency = [40]
constant.latency = [44]
texture.latency = [200]
dram.latency = [700]
dram.bandwidth_gbps = [50]
memory.ports_per_sm = [2]
memory.in_flight_bytes_per_sm = [4096]
host_link.bandwidth_gbps = [3]
host_link.latency_us = [30]
copy_engines = [1]
resident_grids = [1]
limits.ctas_per_sm = [4]
)";

// Every row of a sweep, predicted by itself. Returns how many times differ.
std::size_t expect_rows_equal_predictions(const std::string& axes, const std::string& order,
                                          const std::string& app, std::size_t points) {
  const Folder folder;
  const std::string file = sweep_of(folder, axes, "titan-x", order, app);
  const std::string results = folder.path("r.sqlite");
  const Ended swept = kerncast("sweep " + file + " -o " + results + " --threads 1");
  EXPECT_EQ(swept.exit_code, 0) << swept.err;
  const std::map<std::string, double> times = times_in(results);
  EXPECT_EQ(times.size(), points);
  std::set<double> different;
  for (const auto& [point, time] : times) {
    const std::string set =
        point.empty() ? "" : " --set " + std::regex_replace(point, std::regex(", "), " --set ");
    const Ended alone = kerncast("predict " + app + " --gpu titan-x --json -" + set);
    EXPECT_EQ(alone.exit_code, 0) << alone.err;
    EXPECT_EQ(nlohmann::json::parse(alone.out)[0]["total_time_us"].get<double>(), time) << point;
    different.insert(time);
  }
  return different.size();
}

TEST(Sweeps, RowsEqualPredictionsWhicheverKeyChanges) {
  const std::string app = KERNCAST_SOURCE_DIR "/apps/workloads/basic/reduction/app.json"; // without hit rates
  // 25 keys, and the GPU as it is; the keys do change something.
  EXPECT_GT(expect_rows_equal_predictions(every_kind, "one-at-a-time", app, 26), 8U);
}

// The code has loads in the order that latencies ask for; which lines hit depends on that order and on when
// the scheduler turns to the next warp.
TEST(Sweeps, RowsEqualPredictionsWhereTheCodeAndTheOrderOfAccessesChange) {
  constexpr const char* axes = R"([axes]
l2.latency = [216, 330]
scheduler = ["lrr", "gto"]
units.alu.latency = [4, 30]
)";
  const std::string app = KERNCAST_SOURCE_DIR "/apps/workloads/rodinia/srad_v2/app.json";
  EXPECT_EQ(expect_rows_equal_predictions(axes, "grid", app, 8), 8U);
}

TEST(Sweeps, BytesOfTheCsvDoNotDependOnThreadsOrRanks) {
  std::string first;
  for (const auto& [before, options] : {std::pair<std::string, std::string>{"", "--threads 1"},
                                        {"", "--threads 3"},
                                        {on_ranks(2), "--threads 1"},
                                        {on_ranks(4), "--threads 2"}}) { // rank 2 collects for rank 3
    const Folder folder;
    const std::string file = sweep_of(folder, small_axes);
    const Ended swept = kerncast("sweep " + file + " -o " + folder.path("r.sqlite") + " --csv - --json " +
                                     folder.path("j") + " " + options,
                                 before);
    ASSERT_EQ(swept.exit_code, 0) << swept.err;
    if (first.empty())
      first = swept.out;
    EXPECT_EQ(swept.out, first) << before << options;
  }
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 7); // six points and the names
}

TEST(Sweeps, PointsThatAreNoGpuHaveRowsThatSaySo) {
  const Folder folder;
  const std::string file = sweep_of(folder, "[axes]\nlimits.threads_per_sm = [32, 2048]\n");
  const Ended swept = kerncast("sweep " + file + " -o " + folder.path("r.sqlite"));
  EXPECT_EQ(swept.exit_code, 0);
  EXPECT_NE(swept.err.find("warning: 1 of 2 rows have no prediction"), std::string::npos) << swept.err;
  EXPECT_NE(swept.err.find("limits.threads_per_sm=32"), std::string::npos) << swept.err;
}

// Rounds of a search are the same on any number of ranks and threads, and when it is asked for again.
TEST(Sweeps, ASearchFindsTheSameBestEverywhere) {
  const std::string axes =
      "points = 12\n[axes]\nclock_mhz = { from = 500, to = 1400, steps = 10, round = 1 }\n"
      "sms = { from = 10, to = 24, steps = 15, round = 1 }\n"
      "[constraints]\nbudget = \"clock_mhz * sms <= 16000\"\n";
  std::string first;
  for (const std::string& before : {std::string(), on_ranks(2)}) {
    const Folder folder;
    const std::string file = sweep_of(folder, axes, "titan-x", "search"), results = folder.path("r.sqlite");
    const Ended found =
        kerncast("sweep " + file + " -o " + results + " --threads 2 --csv - --json /dev/null", before);
    ASSERT_EQ(found.exit_code, 0) << found.err;
    EXPECT_EQ(std::count(found.out.begin(), found.out.end(), '\n'), 13); // twelve points and the names
    if (first.empty())
      first = found.out;
    EXPECT_EQ(found.out, first) << before;
    const std::string again = kerncast("sweep " + file + " -o " + results).out;
    EXPECT_TRUE(again.starts_with("t: 1 application, 1 GPU, 12 of ")) << again;
    EXPECT_NE(again.find(": 12 rows, 0 of them computed now\n"), std::string::npos) << again;
  }
}

TEST(Sweeps, TheOrderOfPointsUnderUncertaintyIsShown) {
  const Folder folder;
  const std::string file =
      sweep_of(folder, "samples = 4\n[axes]\nclock_mhz = [500, 1000]\n[uncertain]\ndram.latency = 0.2\n");
  EXPECT_EQ(
      kerncast("check " + file).out,
      file + ": sweep t: 1 application on 1 GPU, 1 axis, 2 points, 4 samples of 1 uncertain key, 10 rows\n");
  const Ended swept = kerncast("sweep " + file + " -o " + folder.path("r.sqlite"));
  ASSERT_EQ(swept.exit_code, 0) << swept.err;
  EXPECT_NE(swept.out.find("2 points: 10 rows"), std::string::npos) << swept.out;
  EXPECT_NE(swept.out.find("order of the points when they vary: dram.latency by 20 %\n"), std::string::npos)
      << swept.out;
  EXPECT_NE(swept.out.find("4 of 4: titan-x with clock_mhz=1000"), std::string::npos) << swept.out;
}

TEST(Sweeps, CheckSaysWhatIsInTheFile) {
  const Folder folder;
  const std::string file =
      sweep_of(folder, small_axes + "[constraints]\nc = \"dram.latency * clock_mhz < 400000\"\n");
  EXPECT_EQ(kerncast("check " + file).out,
            file + ": sweep t: 1 application on 1 GPU, 2 axes, 2 points, 4 refused by constraints, 2 rows\n");
}

TEST(Sweeps, ApplicationsAndObjectivesAreChecked) {
  const Folder folder;
  const std::string file = folder.write("s.toml", "[sweep]\nbase = [\"unit\"]\napps = [\"none.json\"]\n");
  const Ended missing = kerncast("check " + file);
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.err.find("s.toml:3:10: error: 'none.json': "), std::string::npos) << missing.err;
  const Ended objective = kerncast("check " + sweep_of(folder, "[objectives]\nt = \"totl_time_us\"\n"));
  EXPECT_EQ(objective.exit_code, 1);
  EXPECT_NE(objective.err.find("note: did you mean 'total_time_us'?"), std::string::npos) << objective.err;
}

} // namespace
} // namespace kerncast::test
