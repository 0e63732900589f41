// Claims: kerncast validate measured predicts each row's launch as predict does, compares times and counters,
// and leaves out what it must; ppt-lanl finds the published tool's cycles, all of them.
#include "measured.h"

#include <fstream>

namespace kerncast::test {
namespace {

// predict says how long the launch takes: half of that measured is 100 % too much.
TEST_F(Measured, TimesAreThoseOfPredict) {
  const Json predicted =
      Json::parse(kerncast("predict " + data("scale.ptx") +
                           " --gpu titan-x --grid 400 --block 256 --arg buf:409600 --arg buf:409600 "
                           "--arg f32:2 --arg i32:102400 --regs 16 --l1-hit 0 --l2-hit 0 --json -")
                      .out);
  const double time_us = predicted[0]["kernels"][0]["time_us"];
  const Ended ended =
      run(row(scale_, Json(time_us).dump(), regs_) + row(scale_, Json(time_us / 2).dump(), regs_), map());
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const Json time = find(Json::parse(ended.out), "time");
  EXPECT_EQ(time["gpu"], "titan-x");
  EXPECT_EQ(time["rows"], 2);
  EXPECT_NEAR(time["mape"].get<double>(), 50, 1e-6);
  EXPECT_NEAR(time["worst"].get<double>(), 100, 1e-6);
  EXPECT_EQ(time["worst_row"], "row 2");
}

// What was predicted lies in its interval, twice as much does not; counters have none.
TEST_F(Measured, TimesHaveIntervals) {
  const Ended first = run(row(scale_, "10", regs_), map(), "--csv -");
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const std::size_t at = first.out.find(",time,row 1,10,") + 15;
  const double predicted = std::stod(first.out.substr(at));
  const Ended ended =
      run(row(scale_, Json(predicted).dump(), regs_) + row(scale_, Json(2 * predicted).dump(), regs_), map(),
          "--json - --require 'coverage>=50' --require 'interval_length<=100'");
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const Json report = Json::parse(ended.out);
  EXPECT_EQ(find(report, "time")["coverage"], 50);
  EXPECT_GT(find(report, "time")["interval_length"], 10);
  EXPECT_TRUE(find(report, "registers")["coverage"].is_null());
  EXPECT_EQ(run(row(scale_, Json(2 * predicted).dump(), regs_), map(), "--require 'coverage>=50'").exit_code,
            4);
}

// 400 CTAs of 8 warps: 3,200 requests to load and 3,200 x 4 sectors of 32 bytes each way, none of which hits.
TEST_F(Measured, CountersAreThoseOfTheLaunch) {
  const std::string counters =
      regs_ +
      R"(,""l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"":3200,""lts__t_sectors_op_read.sum"":12800,)" +
      R"(""lts__t_sectors_op_write.sum"":12800,""smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"":102400,)" +
      R"(""smsp__sass_thread_inst_executed_op_memory_pred_on.sum"":204800,""smsp__sass_thread_inst_executed_op_fp64_pred_on.sum"":0,)" +
      R"(""derived_l2_read_hit"":0.25)";
  const Ended ended = run(row(scale_, "10", counters), map());
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const Json report = Json::parse(ended.out);
  for (const char* quantity : {"l1_load_requests", "l2_read_sectors", "l2_write_sectors", "fp32", "memory"})
    EXPECT_EQ(find(report, quantity)["worst"], 0) << quantity;
  EXPECT_EQ(find(report, "l2_hit")["unit"], "points");
  EXPECT_NEAR(find(report, "l2_hit")["bias"].get<double>(), -25, 1e-9);
  EXPECT_TRUE(find(report, "fp64").is_null());
  EXPECT_EQ(report["notes"].size(), 1U) << report["notes"];
  EXPECT_NE(report["notes"][0].get<std::string>().find("1 rows measured 0 fp64"), std::string::npos);
}

// An L2 of 64 KiB writes back what was stored to make room for what is loaded, of which it has nothing.
TEST_F(Measured, HitsOfReadsKnowNoWrites) {
  const Ended ended = run(row(scale_, "10", regs_ + R"(,""derived_l2_read_hit"":0.25)"),
                          map_with(R"(, "registers": "{regs}", "set": ["l2.mib=0.0625"])"));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NEAR(find(Json::parse(ended.out), "l2_hit")["bias"].get<double>(), -25, 1e-9);
}

// Of each 256 threads eight skip the loop, the others go back four times, and all end: branches count where
// they are taken. On Turing all threads besides say that they will meet again (BSSY), and do (BSYNC); what
// clears that barrier before (BMOV) and asks for the thread (S2R) is neither control nor memory.
TEST_F(Measured, BranchesCountWhereTheyAreTaken) {
  const std::string ptx = folder_.write("loop.ptx", R"(.version 7.0
.target sm_60
.address_size 64
.visible .entry scale(.param .u64 buffer) {
  .reg .pred %few, %again;
  .reg .b32 %value, %thread, %trip;
  .reg .b64 %first, %at, %offset;
  ld.param.u64 %first, [buffer];
  mov.u32 %thread, %tid.x;
  setp.lt.u32 %few, %thread, 8;
  @%few bra done;
  mul.wide.u32 %offset, %thread, 4;
  add.u64 %at, %first, %offset;
  mov.u32 %trip, 0;
  .pragma "nounroll";
again:
  ld.volatile.global.u32 %value, [%at];
  st.volatile.global.u32 [%at], %value;
  add.u32 %trip, %trip, 1;
  setp.lt.u32 %again, %trip, 5;
  @%again bra again;
done:
  st.volatile.global.u32 [%first], %thread;
  ret;
})");
  constexpr int taken = 400 * (8 + 248 * 4 + 256), met = 400 * 2 * 256;
  constexpr int accesses = 400 * (248 * 5 * 2 + 256);
  for (const auto& [gpu, control] : {std::pair("titan-x", taken), {"rtx2080ti", taken + met}}) {
    const std::string file =
        folder_.write("map.json", R"({"gpus": {"GeForce X": ")" + std::string(gpu) + R"("}, "ptx": ")" + ptx +
                                      R"(", "arguments": ["buf:1024"]})");
    const auto counter = [](const std::string& of, int count) {
      return "\"\"smsp__sass_thread_inst_executed_op_" + of + "_pred_on.sum\"\":" + std::to_string(count);
    };
    const Ended ended =
        run(row(scale_, "10", counter("control", control) + "," + counter("memory", accesses)), file);
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    for (const char* quantity : {"control", "memory"})
      EXPECT_EQ(find(Json::parse(ended.out), quantity)["worst"], 0) << gpu << ' ' << quantity;
  }
}

// The second row has no PTX, the third another clock.
TEST_F(Measured, RowsAreLeftOutAndCounted) {
  const std::string other = R"(""FILE"":""none"",""n"":102400)";
  const Ended ended =
      run(row(scale_, "10", regs_) + row(other, "10", regs_) + row(scale_, "10", regs_, "2100"),
          map(R"(, "where": ["clock<=2000"])"));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const Json report = Json::parse(ended.out);
  EXPECT_EQ(find(report, "time")["rows"], 1);
  const std::string notes = report["notes"].dump();
  EXPECT_NE(notes.find("1 rows left out by the mapping's conditions"), std::string::npos) << notes;
  EXPECT_NE(notes.find("1 rows without PTX left out"), std::string::npos) << notes;
}

// At half the clock the same cycles take twice the time.
TEST_F(Measured, SettingsFollowTheRow) {
  const Ended ended = run(row(scale_, "10", regs_, "1000") + row(scale_, "10", regs_, "500"),
                          map(R"(, "set": ["clock_mhz={clock}"])"), "--csv -");
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  std::vector<double> times;
  std::istringstream lines(ended.out);
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find(",time,row "); at != std::string::npos)
      times.push_back(std::stod(line.substr(line.find(",10,", at) + 4)));
  ASSERT_EQ(times.size(), 2U);
  EXPECT_GT(times[1], 1.2 * times[0]);
}

// The argument of each kernel is its own: twice the elements of the grid would be loaded out of bounds.
TEST_F(Measured, ArgumentsMayBeThoseOfAKernel) {
  const std::string file =
      folder_.write("map.json", R"({"gpus": {"GeForce X": "titan-x"}, "ptx": ")" + data("scale.ptx") +
                                    R"(", "arguments": {"none": [],
                          "scale": ["buf:409600", "buf:409600", "f32:2", "i32:51200"]}})");
  const Ended ended = run(row("", "10", R"(""lts__t_sectors_op_write.sum"":6400)"), file);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(find(Json::parse(ended.out), "l2_write_sectors")["worst"], 0);
}

// A branch on unknown data goes as the row says: around the store, or not; both ways where it says nothing.
TEST_F(Measured, BranchesFollowTheRow) {
  const std::string ptx = folder_.write("sometimes.ptx", R"(.version 7.0
.target sm_60
.address_size 64
.visible .entry scale(.param .u64 buffer) {
  .reg .pred %none;
  .reg .b32 %value, %thread;
  .reg .b64 %at, %offset;
  ld.param.u64 %at, [buffer];
  mov.u32 %thread, %tid.x;
  mul.wide.u32 %offset, %thread, 4;
  add.u64 %at, %at, %offset;
  ld.global.u32 %value, [%at];
  setp.eq.u32 %none, %value, 0;
  @%none bra done;
  st.global.u32 [%at], %thread;
done:
  ret;
})");
  const std::string file = folder_.write("map.json", R"({"gpus": {"GeForce X": "titan-x"}, "ptx": ")" + ptx +
                                                         R"(", "arguments": ["buf:1024"],
                                                         "branches": ["{branch}"]})");
  const std::string counted = R"(""lts__t_sectors_op_write.sum"":12800)";
  const Ended ended =
      run(row(R"(""branch"":""14=0"")", "10", counted) + row(R"(""branch"":""14=1"")", "10", counted) +
              row(R"(""branch"":"""")", "10", counted),
          file, "--csv -");
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  for (const char* found : {"row 1,12800,12800", "row 2,12800,0", "row 3,12800,12800"})
    EXPECT_NE(ended.out.find(std::string(",l2_write_sectors,") + found), std::string::npos) << ended.out;
}

TEST_F(Measured, MistakesAreLocated) {
  const auto error = [&](const std::string& rows, const std::string& more) {
    const Ended ended = run(rows, map(more));
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_NE(error(row(scale_, "10", ""), "").find("'{regs}': the row says nothing of 'regs'"),
            std::string::npos);
  EXPECT_NE(
      error(row(R"(""FILE"":""none"")", "10", regs_), "").find("'i32:{n}': the row says nothing of 'n'"),
      std::string::npos);
  EXPECT_NE(error(row(scale_, "10", regs_), R"(, "where": ["clock=5"])").find("map.json:"),
            std::string::npos);
  EXPECT_NE(error(row(scale_, "10", regs_), R"(, "register": "1")").find("map.json:"), std::string::npos);
  EXPECT_NE(error(row("\"\"FILE\"\":", "10", regs_), "")
                .find("measured.csv:2:17: error: config is not a JSON object"),
            std::string::npos);
  EXPECT_NE(error(row(R"(""FILE"":""scale"",""n"":""many"")", "10", regs_), "")
                .find("measured.csv:2:1: error: this row"),
            std::string::npos);
  const Ended none = kerncast("validate measured " + folder_.write("few.csv", "gpu,kernel\n"));
  EXPECT_NE(none.err.find("no column 'grid_x'"), std::string::npos);
}

// The suite beside the program, shortened to the first row of each table: an installation of its own.
TEST(Microbenchmarks, FindTheTimesOfRealGpus) {
  namespace fs = std::filesystem;
  const TemporaryFolder installed;
  const fs::path share = installed.path() / "share/kerncast", measured = share / "validation/measured";
  const fs::path source = KERNCAST_SOURCE_DIR;
  fs::create_directories(installed.path() / "bin");
  fs::create_directories(measured);
  fs::copy_file(KERNCAST_BINARY_DIR "/bin/kerncast", installed.path() / "bin/kerncast");
  fs::create_directory_symlink(source / "configs", share / "configs");
  fs::create_directory_symlink(source / "apps/microbench", share / "validation/microbench");
  for (const std::string family : {"streams", "roofline", "mixes", "small_ctas", "sgemm"}) {
    const fs::path table = source / "tests/data/measured" / family;
    fs::copy_file(table.string() + ".json", measured / (family + ".json"));
    std::ifstream all(table.string() + ".csv");
    std::ofstream shortened(measured / (family + ".csv"));
    std::string line;
    for (int i = 0; i < 2 && std::getline(all, line); ++i)
      shortened << line << '\n';
  }
  const Ended ended = run((installed.path() / "bin/kerncast").string() +
                          " validate microbench --json - --require 'time.mape<=25'");
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const Json report = Json::parse(ended.out);
  std::size_t rows = 0;
  for (const Json& one : report["comparisons"])
    rows += one["quantity"] == "time" ? one["rows"].get<std::size_t>() : 0;
  EXPECT_EQ(rows, 5U);
}

// 36 files, every number equal.
TEST(PptLanl, EveryPublishedNumberIsFound) {
  const Ended ended =
      kerncast("validate ppt-lanl --json - --require 'outside<=0' --require 'mape<=0' --require "
               "'warp_instructions.worst<=0'");
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const Json report = Json::parse(ended.out);
  std::size_t cycles = 0;
  for (const Json& one : report["comparisons"])
    cycles += one["quantity"] == "cycles" ? one["rows"].get<std::size_t>() : 0;
  EXPECT_EQ(cycles, 36U);
}

// 1,792 rows of the dissertation's grid for each of four models; the simulator within its sources'
// tolerances.
TEST(Papers, EveryNumberIsWithinItsTolerance) {
  const Ended ended =
      kerncast("validate papers --json - --require 'outside<=0' --require 'papers.000 eq. 1.outside<=0'");
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const Json report = Json::parse(ended.out);
  std::size_t rows = 0;
  for (const Json& one : report["comparisons"])
    rows += one["rows"].get<std::size_t>();
  EXPECT_EQ(rows, 4 * 1792U + 3 * 80U // 001
                      + 108U          // 000, eq. 1: 4 x 3 x 3 x 3
                      + 12U + 1U + 6U // 003's example
                      + 3 * 7U        // its mix
                      + 2 * 8U);      // 002, Table 4
}

} // namespace
} // namespace kerncast::test
