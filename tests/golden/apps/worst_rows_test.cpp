// Claims: --worst N names the rows that are farthest off, and where the chain from registers to cycles parts
// from what was measured.
#include "measured.h"

#include <sstream>

namespace kerncast::test {
namespace {

// 400 CTAs of 8 warps: 3,200 requests to load, 3,200 x 4 sectors of 32 bytes each way, and no hits.
class WorstRows : public Measured {
protected:
  static std::string counters(int requests, int sectors, double l2_hit) {
    return fmt_counter("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", requests) + "," +
           fmt_counter("lts__t_sectors_op_read.sum", sectors) + "," + fmt_counter("regs", 16) + "," +
           fmt_counter("derived_l2_read_hit", l2_hit);
  }
  static std::string fmt_counter(const std::string& name, double value) {
    return "\"\"" + name + "\"\":" + Json(value).dump();
  }

  std::string config(int number) const { return scale_ + ",\"\"number\"\":" + std::to_string(number); }

  Json worst(const std::string& rows, const std::string& count, const std::string& map_file) const {
    const Ended ended = run(rows, map_file, "--worst " + count + " --json -");
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return Json::parse(ended.out, nullptr, false)["worst"];
  }
};

// Times from a nanosecond on are too short, the shorter the worse. The first quantity off by more than its
// target, 5 %, 10 % or 5 points, is where a row parts; within it, it is the timing.
TEST_F(WorstRows, PartAtTheFirstQuantityBeyondItsTarget) {
  const std::string rows = row(config(1), "0.004", counters(3200, 12800, 0)) +    // as predicted
                           row(config(2), "0.003", counters(1600, 12800, 0.5)) +  // requests, then hits
                           row(config(3), "0.002", counters(3230, 11700, 0.04)) + // 9.4 %, 4 points: within
                           row(config(4), "0.001", counters(3200, 11600, 0)) +    // 10.3 %
                           row(config(5), "0.01", counters(3200, 12800, 0.06));
  const Json kernels = worst(rows, "4", map());
  ASSERT_EQ(kernels.size(), 1U);
  const Json& kernel = kernels[0];
  EXPECT_EQ(kernel["rows"], 5);
  ASSERT_EQ(kernel["worst"].size(), 4U);
  const std::pair<int, const char*> expected[] = {
      {4, "l2_read_sectors"}, {3, "timing"}, {2, "l1_load_requests"}, {1, "timing"}};
  for (std::size_t i = 0; i < 4; ++i) {
    const Json& one = kernel["worst"][i];
    EXPECT_EQ(one["row"], expected[i].first);
    EXPECT_EQ(one["parts_at"], expected[i].second) << one;
    EXPECT_EQ(one["config"], (Json{{"number", std::to_string(expected[i].first)}}));
    EXPECT_NEAR(one["error"].get<double>(),
                100 * (one["predicted"].get<double>() / one["measured"].get<double>() - 1), 1e-6);
    EXPECT_EQ(one["bound"], first_predicted(data("scale.ptx") +
                                            " --gpu titan-x --grid 400 --block 256 --arg buf:409600 --arg "
                                            "buf:409600 --arg f32:2 --arg i32:102400 --regs 16 --l1-hit 0 "
                                            "--l2-hit 0")["kernels"][0]["bound"]);
  }
  EXPECT_EQ(kernel["worst"][2]["farthest"], "l1_load_requests"); // 20 targets; 50 points of hits are 10
  EXPECT_TRUE(kernel["worst"][1]["farthest"].is_null());
  const Json& chain = kernel["worst"][2]["chain"]; // row 2: 3,200 are twice 1,600
  ASSERT_EQ(chain.size(), 4U) << chain;
  EXPECT_EQ(chain[0]["quantity"], "registers");
  EXPECT_EQ(chain[1]["quantity"], "l1_load_requests");
  EXPECT_EQ(chain[1]["error"], 100);
  EXPECT_EQ(chain[2]["error"], 0);
  EXPECT_EQ(chain[3]["unit"], "points");
  EXPECT_EQ(chain[3]["error"], -50);
}

// Requests 6.7 % off, 1.3 targets, come before hits, 50 points or 10 targets off.
TEST_F(WorstRows, MayBeFarthestOffWhereTheyDoNotPartFirst) {
  const Json one = worst(row(scale_, "10", counters(3000, 12800, 0.5)), "1", map())[0]["worst"][0];
  EXPECT_EQ(one["parts_at"], "l1_load_requests");
  EXPECT_EQ(one["farthest"], "l2_hit");
}

// The three rows of alike errors: a third of the MAPE each, two of them the timing's.
TEST_F(WorstRows, PartsHaveSharesOfTheError) {
  const std::string rows = row(config(1), "0.001", counters(3200, 12800, 0)) +
                           row(config(2), "0.001", counters(1600, 12800, 0)) +
                           row(config(3), "0.001", counters(3200, 12800, 0));
  const Json kernel = worst(rows, "1", map())[0];
  ASSERT_EQ(kernel["parts"].size(), 2U) << kernel;
  EXPECT_EQ(kernel["parts"][0]["parts_at"], "timing");
  EXPECT_EQ(kernel["parts"][0]["rows"], 2);
  EXPECT_EQ(kernel["parts"][1]["parts_at"], "l1_load_requests");
  const double mape = std::abs(kernel["worst"][0]["error"].get<double>());
  EXPECT_NEAR(kernel["parts"][0]["points"].get<double>(), mape * 2 / 3, 1e-6);
  EXPECT_NEAR(kernel["parts"][1]["points"].get<double>(), mape / 3, 1e-6);
}

// 16 registers where far fewer are estimated: that parts only where they are not given. Without counters
// nothing is known of where it does.
TEST_F(WorstRows, RegistersPartOnlyWhereTheyAreEstimated) {
  const std::string rows = row(scale_, "10", fmt_counter("regs", 64));
  EXPECT_EQ(worst(rows, "1", map_with(""))[0]["worst"][0]["parts_at"], "registers");
  EXPECT_TRUE(worst(rows, "1", map())[0]["worst"][0]["parts_at"].is_null());
}

// Where 0 was measured there is no relative error, but anything else parts.
TEST_F(WorstRows, ZeroPartsFromAnythingElse) {
  const Json one = worst(row(scale_, "10", counters(0, 12800, 0)), "1", map())[0]["worst"][0];
  EXPECT_EQ(one["parts_at"], "l1_load_requests");
  EXPECT_TRUE(one["chain"][1]["error"].is_null());
  const std::string shared = R"(""regs"":16,""l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"":0)";
  EXPECT_EQ(worst(row(scale_, "10", shared), "1", map())[0]["worst"][0]["parts_at"], "timing");
}

// A column of each quantity of which a row has an error, in the order of the chain.
TEST_F(WorstRows, AreATableOfTheirChain) {
  const std::string zero = R"(""regs"":16,""dram__sectors_read.sum"":0,""dram__sectors_write.sum"":0)";
  const std::string written = R"(""regs"":16,""lts__t_sectors_op_write.sum"":12800)";
  const Ended ended = run(row(config(1), "10", written) + row(config(2), "10", counters(3200, 12800, 0)) +
                              row(config(3), "10", zero),
                          map(), "--worst 3");
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const std::size_t at = ended.out.find("config is number\n");
  ASSERT_NE(at, std::string::npos) << ended.out;
  std::istringstream table(ended.out.substr(ended.out.find('\n', at) + 1));
  std::string word, words;
  for (int i = 0; i < 14 && table >> word; ++i)
    words += word + " ";
  EXPECT_EQ(words, "row config measured predicted error registers l1_load_requests l2_read_sectors "
                   "l2_write_sectors l2_hit bound parts at farthest ");
}

// The launch stands for a config where there is none.
TEST_F(WorstRows, LaunchesStandForConfigs) {
  std::string small = row("", "10", R"(""n"":102400,""regs"":16)");
  small.replace(small.find("400,1,1"), 7, "200,1,1");
  const std::string file = map(R"(, "kernel": "scale", "where": ["n<=102400"])");
  const Json kernel = Json::parse(run(row("", "10", R"(""n"":102400,""regs"":16)") + small, file,
                                      "--worst 2 --json - --ptx " + data("scale.ptx"))
                                      .out,
                                  nullptr, false)["worst"][0];
  ASSERT_EQ(kernel["worst"].size(), 2U);
  for (const Json& one : kernel["worst"])
    EXPECT_EQ(one["config"], (Json{{"grid_x", one["row"] == 1 ? "400" : "200"}}));
}

} // namespace
} // namespace kerncast::test
