// Two kernels of dependent.ptx on half of an H100 each: with programmatic dependent launch the prologue of
// `sum` runs beside `fill`.
#include "answers.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

class DependentLaunches : public testing::Test {
protected:
  Ended predict(bool programmatic, const std::string& options, const std::string& gpu = "h100-sxm") const {
    const std::string attribute = programmatic ? R"("programmatic": true, )" : "";
    const std::string app =
        R"({"format": "kerncast-app/1", "name": "two", "modules": [")" + data("dependent.ptx") +
        R"("], "buffers": {"x": {"bytes": 32768}, "y": {"bytes": 32768}, "z": {"bytes": 32768}},
"events": [
{"op": "kernel", "kernel": "fill", "grid": [64], "block": [128], "args": [{"buffer": "x"}, {"buffer": "y"}]},
{"op": "kernel", "kernel": "sum", "grid": [64], "block": [128], )" +
        attribute + R"("args": [{"buffer": "y"}, {"buffer": "z"}]}]})";
    return kerncast("predict " + folder_.write("app.json", app) + " --gpu " + gpu +
                    " --no-interval --set launch_overhead_us=1 --set kernel_gap_us=0 " + options);
  }
  Json json(bool programmatic, const std::string& options = {}) const {
    const Ended ended = predict(programmatic, options + " --json -");
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return Json::parse(ended.out).at(0);
  }
  static double time_us(const Json& prediction, int kernel) {
    return prediction.at("kernels").at(kernel).at("time_us");
  }

  Folder folder_;
};

// fill runs 1..1 + a; it triggers early, and sum, launched until 2, has half of its time before its wait.
TEST_F(DependentLaunches, OverlapByThePrologue) {
  const Json without = json(false);
  const Json with = json(true);
  const double fill = time_us(without, 0);
  const double sum = time_us(without, 1);
  EXPECT_EQ(time_us(with, 0), fill);
  EXPECT_EQ(time_us(with, 1), sum);
  EXPECT_NEAR(without.at("total_time_us").get<double>(), 1 + fill + sum, 1e-9);
  EXPECT_FALSE(without.contains("early_prologues_us"));
  const double early = with.at("early_prologues_us");
  EXPECT_GT(early, 0.4 * sum);
  EXPECT_LT(early, 0.6 * sum);
  EXPECT_NEAR(with.at("total_time_us").get<double>(), 1 + fill + sum - early, 1e-9);
  EXPECT_NE(with.at("assumptions").dump().find("programmatic dependent launches: when"), std::string::npos);
}

TEST_F(DependentLaunches, AreTheSameForAWholeGpuWithinItsDifference) {
  const double early = json(true, "--fidelity gpu").at("early_prologues_us");
  EXPECT_NEAR(early, json(true).at("early_prologues_us").get<double>(), 0.1 * early);
}

TEST_F(DependentLaunches, AreInTheTableAndTheTimeline) {
  const Ended table = predict(true, "--timeline " + folder_.path("t.json"));
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find("prologues before the end of the kernel before: "), std::string::npos)
      << table.out;
  const Json trace = Json::parse(read(folder_.path("t.json")));
  std::vector<std::string> names;
  for (const Json& event : trace.at("traceEvents"))
    names.push_back(event.at("ph") == "M" ? event.at("args").at("name") : event.at("name"));
  for (const char* name : {"stream 0", "stream 0 prologues", "fill", "sum (prologue)", "sum"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
}

TEST_F(DependentLaunches, AreNotEarlyWhereNoModelSaysWhen) {
  EXPECT_EQ(json(true, "--model roofline").at("early_prologues_us"), 0);
}

TEST_F(DependentLaunches, AreRefusedUnlessTrueOrFalse) {
  const std::string app = R"({"format": "kerncast-app/1", "modules": [")" + data("dependent.ptx") + R"("],
"events": [{"op": "kernel", "kernel": "fill", "grid": [1], "block": [32], "programmatic": 1}]})";
  const Ended ended = kerncast("check " + folder_.write("app.json", app));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("programmatic must be true or false, not a number"), std::string::npos)
      << ended.err;
}

} // namespace
} // namespace kerncast::test
