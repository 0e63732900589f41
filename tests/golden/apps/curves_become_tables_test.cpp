// Claims: kerncast validate curves gives MAPE and shape MAPE of every model against measured occupancy
// curves, in the layout of 003's Tables 8 and 10 to 12. The curves measured here are made of a model's own.
#include "answers.h"

#include <functional>
#include <map>

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

using Curve = std::map<double, double>; // warps -> warps per cycle

const std::string curve_columns = "gpu,application,kernel,warps,warps_per_cycle\n";

class Curves : public testing::Test {
protected:
  // Of kernel scale, at the occupancies that the simulator knows too: 8, 16, ... 64 warps.
  static Curve volkov() {
    const Ended ended =
        kerncast("predict " + data("scale.json") + " --gpu titan-x --occupancy-curve --json -");
    const Json predictions = Json::parse(ended.out);
    Curve curve;
    for (const Json& model : predictions[0]["kernels"][0]["occupancy_curve"]["models"])
      if (model["model"] == "volkov")
        for (const Json& point : model["points"])
          if (point["warps"].get<int>() % 8 == 0)
            curve[point["warps"]] = point["warps_per_cycle"];
    return curve;
  }

  std::string write(const std::function<double(double, double)>& measured) const {
    std::string text = "# made of a model's curve\n" + curve_columns;
    for (const auto& [warps, rate] : volkov())
      text += "titan-x," + data("scale.json") + ",scale," + std::to_string(warps) + "," +
              Json(measured(warps, rate)).dump() + "\n";
    return folder_.write("curves.csv", text);
  }

  static Json errors_of(const Json& report, const std::string& model) {
    for (const Json& one : report["comparisons"])
      if (one["model"] == model)
        return one;
    return {};
  }

  Json validate(const std::string& file) const {
    const Ended ended = kerncast("validate curves " + file + " --json -");
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return Json::parse(ended.out);
  }

  Folder folder_;
};

// The machine is as fast as Volkov says at every occupancy.
TEST_F(Curves, AModelThatIsRightHasNoErrors) {
  const Json report = validate(write([](double, double rate) { return rate; }));
  EXPECT_EQ(report["format"], "kerncast-validation/1");
  EXPECT_EQ(report["comparisons"].size(), 22U);
  const Json volkov = errors_of(report, "volkov");
  EXPECT_EQ(volkov["rows"], 8);
  EXPECT_EQ(volkov["mape"], 0);
  EXPECT_EQ(volkov["shape_mape"], 0);
  EXPECT_EQ(volkov["spearman"], 1);
  EXPECT_GT(errors_of(report, "roofline")["shape_mape"], 10);
}

// Two files launch a kernel of one name: two curves, not one through both.
TEST_F(Curves, AreThoseOfOneApplicationEach) {
  const auto row = [&](const std::string& application, double rate) {
    return "titan-x," + application + ",scale,8," + Json(rate).dump() + "\n";
  };
  const std::string here = data("scale.json"), again = data("../apps/scale.json");
  const double rate = volkov().at(8);
  const Json report =
      validate(folder_.write("two.csv", curve_columns + row(here, rate) + row(again, rate / 2)));
  EXPECT_EQ(report["comparisons"].size(), 2 * 22U);
  for (const Json& one : report["comparisons"])
    if (one["model"] == "volkov") {
      EXPECT_NEAR(one["mape"].get<double>(), one["kernel"] == "scale of " + here ? 0 : 100, 1e-9);
    }
}

// 4/5 of the model's rate: it promises 25 % too much everywhere.
TEST_F(Curves, AFactorIsTheMape) {
  const Json volkov = errors_of(validate(write([](double, double rate) { return 0.8 * rate; })), "volkov");
  EXPECT_NEAR(volkov["mape"].get<double>(), 25, 1e-9);
  EXPECT_NEAR(volkov["bias"].get<double>(), 25, 1e-9);
  EXPECT_LT(volkov["shape_mape"].get<double>(), 25);
}

// 0.001 + 0.0001 per warp less than the model: a straight line of errors, so the shape is right.
TEST_F(Curves, AStraightLineIsNoErrorOfShape) {
  const auto lower = [](double warps, double rate) { return rate - 0.001 - 0.0001 * warps; };
  double mape = 0;
  for (const auto& [warps, rate] : volkov())
    mape += 100 * (rate - lower(warps, rate)) / lower(warps, rate) / 8;
  const Json errors = errors_of(validate(write(lower)), "volkov");
  EXPECT_NEAR(errors["mape"].get<double>(), mape, 1e-6 * mape);
  EXPECT_NEAR(errors["shape_mape"].get<double>(), 0, 1e-6);
}

// One kernel: its row is the average.
TEST_F(Curves, TablesHaveThePapersLayout) {
  const std::string file = write([](double, double rate) { return 0.8 * rate; });
  const Ended ended = kerncast("validate curves " + file);
  EXPECT_TRUE(ended.out.starts_with("003, Table 8: MAPE of pipeline\nkernel  titan-x\nscale ")) << ended.out;
  const std::size_t tables = ended.out.find("\n003, Tables 10 to 12: MAPE / shape MAPE on titan-x\nkernel ");
  ASSERT_NE(tables, std::string::npos) << ended.out;
  std::istringstream lines(ended.out.substr(tables + 1));
  std::string line;
  std::getline(lines, line);
  std::string words[10];
  for (int column = 0; column < 9; ++column)
    lines >> words[column];
  const std::string columns_of_003[] = {"kernel",        "pipeline",   "volkov",
                                        "mwp-cwp",       "wfg",        "mwp-cwp-corrected",
                                        "wfg-corrected", "gpumech-rr", "gpumech-gto"};
  for (int column = 0; column < 9; ++column)
    EXPECT_EQ(words[column], columns_of_003[column]);
  std::getline(lines, line);
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("scale "));
  EXPECT_NE(line.find(" 25.0 / "), std::string::npos) << line;
  std::string average;
  std::getline(lines, average);
  EXPECT_TRUE(average.starts_with("average "));
  EXPECT_EQ(average.substr(7), line.substr(5 + 2)) << "as wide as 'average'";
}

TEST_F(Curves, EveryPointIsARowOfTheCsv) {
  const std::string file = write([](double, double rate) { return 0.8 * rate; });
  ASSERT_EQ(kerncast("validate curves " + file + " --csv " + folder_.path("rows.csv")).exit_code, 0);
  const std::string rows = read(folder_.path("rows.csv"));
  EXPECT_TRUE(rows.starts_with("suite,kernel,gpu,model,quantity,row,measured,predicted,error,low,high\n"
                               "curves,scale,titan-x,pipeline,throughput,8 warps,"))
      << rows.substr(0, 200);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1 + 22 * 8);
}

TEST_F(Curves, BoundsDecideTheExitCode) {
  const std::string file = write([](double, double rate) { return 0.8 * rate; });
  EXPECT_EQ(kerncast("validate curves " + file + " --require 'volkov.mape<=25.1'").exit_code, 0);
  const Ended broken = kerncast("validate curves " + file +
                                " --require 'volkov.mape<=20' --require 'volkov.spearman>=0.9' --json " +
                                folder_.path("report.json"));
  EXPECT_EQ(broken.exit_code, 4);
  EXPECT_EQ(broken.err,
            "error: --require 'volkov.mape<=20' does not hold: curves scale titan-x volkov throughput: "
            "mape is 25\n");
  const Json report = Json::parse(read(folder_.path("report.json")));
  EXPECT_EQ(report["requirements"][0]["holds"], false);
  EXPECT_EQ(report["requirements"][1]["holds"], true);
}

// Without a model's name the simulator is meant: one comparison of 22.
TEST_F(Curves, BoundsOnNoModelAreTheSimulators) {
  const std::string file = write([](double, double rate) { return rate; });
  const Ended ended = kerncast("validate curves " + file + " --require 'mape<=1000'");
  EXPECT_NE(ended.out.find("mape<=1000: 1 of 1 hold\n"), std::string::npos) << ended.out;
  const Ended nothing = kerncast("validate curves " + file + " --require 'a100.mape<=1'");
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_TRUE(
      nothing.err.starts_with("error: --require 'a100.mape<=1' is about nothing that was compared\n"));
}

TEST_F(Curves, BadTablesAreLocated) {
  const auto error = [&](const std::string& rows) {
    const Ended ended = kerncast("validate curves " + folder_.write("bad.csv", rows));
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.out, "");
    const std::size_t at = ended.err.find("bad.csv:");
    return at == std::string::npos ? ended.err : ended.err.substr(at + 8, ended.err.find('\n', at) - at - 8);
  };
  const std::string scale = "titan-x," + data("scale.json") + ",";
  const std::string at_warps = std::to_string(scale.size() + 7); // behind "scale,"
  EXPECT_EQ(error("gpu,kernel,warps,warps_per_cycle\n"), "1:1: error: no column 'application'");
  EXPECT_EQ(error(curve_columns), "1:1: error: a table without rows");
  EXPECT_EQ(error(curve_columns + scale + "scale,8,0\n"),
            "2:" + std::to_string(scale.size() + 9) +
                ": error: warps_per_cycle must be a number from 1e-12 to 1e12, not '0'");
  EXPECT_EQ(error(curve_columns + scale + "scale,8,nan\n"),
            "2:" + std::to_string(scale.size() + 9) +
                ": error: warps_per_cycle must be a number from 1e-12 to 1e12, not 'nan'");
  EXPECT_EQ(error(curve_columns + scale + "scale,9,0.1\n"),
            "2:" + at_warps + ": error: pipeline has no point at 9 warps");
  EXPECT_NE(error(curve_columns + scale + "scales,8,0.1\n").find("error: "), std::string::npos);
  EXPECT_NE(error(curve_columns + "titan-x,none.json,scale,8,0.1\n").find("error: "), std::string::npos);
}

} // namespace
} // namespace kerncast::test
