// Claims: with --stages measured launches are predicted with more and more of the chain as it was measured,
// over the same rows, and what the mapping does not give is that of the counters; the usual tables stay as
// they are.
#include <cmath>

#include "measured.h"

namespace kerncast::test {
namespace {

// One CTA fits an SM with 255 registers; nine of ten sectors are found in L2.
class Stages : public Measured {
protected:
  // What predict says with these options, in us.
  static double time_us(const std::string& given) {
    return first_predicted(data("scale.ptx") +
                           " --gpu titan-x --grid 400 --block 256 --arg buf:409600 --arg buf:409600 "
                           "--arg f32:2 --arg i32:102400 --no-interval" +
                           given)["kernels"][0]["time_us"];
  }

  Json report(const std::string& rows, const std::string& more) const {
    const Ended ended = run(rows, map_with(more), "--stages --json -");
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return Json::parse(ended.out, nullptr, false);
  }

  static std::vector<std::string> given(const Json& kernel) {
    std::vector<std::string> names;
    for (const Json& stage : kernel["stages"])
      names.push_back(stage["given"]);
    return names;
  }

  const std::string counters_ = R"(""regs"":255,""derived_l2_read_hit"":0.9)";
  const std::string given_ = R"(, "registers": "{regs}", "l2_hit": "{derived_l2_read_hit}")";
};

// 10 and 20 us measured: the mean of |t - 10| / 10 and |t - 20| / 20, of each stage's time t.
TEST_F(Stages, EachHasTheErrorsOfItsPredictions) {
  const Json found = report(row(scale_, "10", counters_) + row(scale_, "20", counters_), given_);
  ASSERT_EQ(found["stages"].size(), 1U);
  const Json& kernel = found["stages"][0];
  EXPECT_EQ(kernel["kernel"], "scale");
  EXPECT_EQ(kernel["gpu"], "titan-x");
  EXPECT_EQ(kernel["quantity"], "time");
  EXPECT_EQ(kernel["rows"], 2);
  EXPECT_EQ(kernel["left_out"], 0);
  ASSERT_EQ(given(kernel), (std::vector<std::string>{"nothing", "registers", "hit_rates"}));
  const double times[] = {time_us(""), time_us(" --regs 255"), time_us(" --regs 255 --l2-hit 0.9")};
  EXPECT_NE(times[0], times[1]);
  EXPECT_NE(times[1], times[2]);
  for (std::size_t i = 0; i < 3; ++i) {
    const double mape = 50 * (std::fabs(times[i] - 10) / 10 + std::fabs(times[i] - 20) / 20);
    EXPECT_NEAR(kernel["stages"][i]["mape"].get<double>(), mape, 1e-6) << i;
  }
  EXPECT_TRUE(kernel["stages"][0]["share"].is_null());
  for (std::size_t i = 1; i < 3; ++i)
    EXPECT_NEAR(kernel["stages"][i]["share"].get<double>(),
                kernel["stages"][i - 1]["mape"].get<double>() - kernel["stages"][i]["mape"].get<double>(),
                1e-9);
}

// A mapping that gives nothing: the usual tables are of that, the stages are those of the counters.
TEST_F(Stages, CountersGiveWhatTheMappingDoesNot) {
  const std::string rows = row(scale_, "10", counters_);
  const Json of_counters = report(rows, "");
  EXPECT_EQ(of_counters["stages"], report(rows, given_)["stages"]);
  const Json& stages = of_counters["stages"][0]["stages"];
  EXPECT_EQ(find(of_counters, "time")["mape"], stages[0]["mape"]);
  EXPECT_NE(find(of_counters, "time")["mape"], stages[2]["mape"]);
}

// Hit rates of neither the mapping nor the counters; then of neither anything.
TEST_F(Stages, WithoutAnythingMeasuredAreLeftOut) {
  const Json some = report(row(scale_, "10", regs_), R"(, "registers": "{regs}")");
  EXPECT_EQ(given(some["stages"][0]), (std::vector<std::string>{"nothing", "registers"}));
  EXPECT_EQ(some["notes"].size(), 1U) << some["notes"];
  EXPECT_NE(some["notes"].dump().find("measured.csv: scale on titan-x: the stage hit_rates is left out"),
            std::string::npos)
      << some["notes"];
  const Json none = report(row(scale_, "10", ""), "");
  EXPECT_EQ(given(none["stages"][0]), (std::vector<std::string>{"nothing"}));
  EXPECT_EQ(none["notes"].size(), 2U) << none["notes"];
}

// Of four rows one has no hit rate, and one a rate that no cache has: two are compared, with every stage.
TEST_F(Stages, HaveTheSameRows) {
  const std::string rows = row(scale_, "10", counters_) + row(scale_, "10", regs_) +
                           row(scale_, "10", R"(""regs"":16,""derived_l2_read_hit"":1.5)") +
                           row(scale_, "20", counters_);
  const Json found = report(rows, "");
  EXPECT_EQ(found["stages"][0]["rows"], 2);
  EXPECT_EQ(found["stages"][0]["left_out"], 2);
  EXPECT_EQ(found["stages"][0]["stages"].size(), 3U);
  EXPECT_EQ(find(found, "time")["rows"], 4);
  const std::string notes = found["notes"].dump();
  EXPECT_NE(notes.find("2 of 4 rows are left out of the stages"), std::string::npos) << notes;
  EXPECT_NE(notes.find("row 2 with hit_rates given: the row says nothing of it"), std::string::npos) << notes;
}

// 1,000 MHz: as many cycles as nanoseconds. The time of the second row, measured at another clock, does not
// count.
TEST_F(Stages, AreOfCyclesWhereTheMappingSaysSo) {
  const std::string rows = row(scale_, "10", counters_ + R"(,""sm__cycles_elapsed.max"":10000)") +
                           row(scale_, "5", counters_ + R"(,""sm__cycles_elapsed.max"":10000)");
  const std::string at_1000_mhz = given_ + R"(, "set": ["clock_mhz=1000"])";
  const Json found = report(rows, at_1000_mhz + R"(, "main": "cycles")");
  EXPECT_EQ(found["stages"][0]["quantity"], "cycles");
  EXPECT_EQ(found["stages"][0]["stages"][2]["mape"], find(found, "cycles")["mape"]);
  const Json of_time = report(rows, at_1000_mhz);
  EXPECT_EQ(of_time["comparisons"].size(), found["comparisons"].size());
  EXPECT_NE(of_time["stages"][0]["stages"][2]["mape"], found["stages"][0]["stages"][2]["mape"]);
  const Ended required =
      run(rows, map_with(at_1000_mhz + R"(, "main": "cycles")"), "--worst 2 --require 'mape<=0'");
  EXPECT_EQ(required.exit_code, 4);
  EXPECT_NE(required.out.find("cycles"), std::string::npos) << required.out;
  EXPECT_NE(required.out.find("  10000  "), std::string::npos) << required.out;
}

TEST_F(Stages, AreOfNothingElse) {
  const Ended ended = run(row(scale_, "10", ""), map_with(R"(, "main": "registers")"));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(ended.err.find("'registers' cannot be the main quantity"), std::string::npos) << ended.err;
}

TEST_F(Stages, AreATableAndMarkdown) {
  const std::string file = folder_.path("report.md");
  const Ended ended =
      run(row(scale_, "10", counters_), map_with(given_), "--stages --worst 1 --report " + file);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find("\nscale   titan-x  hit_rates     1"), std::string::npos) << ended.out;
  const std::string report = read(file);
  for (const char* part :
       {"## Quantities\n\n| suite | kernel |", "## Share of each stage\n\n| kernel | GPU | given |",
        "\n| scale | titan-x | registers | 1 |", "\n## Worst rows\n",
        "scale on titan-x: the 1 worst of 1 rows"})
    EXPECT_NE(report.find(part), std::string::npos) << part << "\n" << report;
}

TEST_F(Stages, AreOfMeasuredLaunches) {
  for (const std::string option : {"--stages", "--worst 3"}) {
    const Ended ended = kerncast("validate papers " + option);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.out, "");
    EXPECT_TRUE(
        ended.err.starts_with("error: " + option.substr(0, option.find(' ')) +
                              " is about the suite measured\nnote: write 'kerncast validate measured"))
        << ended.err;
  }
  EXPECT_EQ(run(row(scale_, "10", regs_), map(), "--worst 0").exit_code, 1);
}

} // namespace
} // namespace kerncast::test
