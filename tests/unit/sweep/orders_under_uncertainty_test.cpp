// What is uncertain varies by its stated error, by the same share for all points; the order of points may
// change.
#include <gtest/gtest.h>

#include "sweep/analysis.h"
#include "sweep_text.h"

namespace kerncast::sweep::test {
namespace {

std::string uncertain(const std::string& rest) {
  return "[sweep]\nbase = [\"unit\"]\napps = [\"a.json\"]\nsamples = 2\n" + rest;
}

// The middles of two halves of [-1, 1] are -0.5 and 0.5: half of the error less and more.
TEST(Uncertainty, SamplesShareTheirDeviation) {
  EXPECT_EQ(points(uncertain("[axes]\nsms = [2, 4]\n[uncertain]\ndram.bandwidth_gbps = 0.2\n")),
            points(uncertain("[axes]\nsms = [2, 4]\n[uncertain.dram]\nbandwidth_gbps = { error = 0.2 }\n")));
  const auto made = plan(uncertain("[axes]\nclock_mhz = [1000, 2000]\n[uncertain]\nclock_mhz = 0.2\n"));
  ASSERT_TRUE(made) << render(made.error());
  EXPECT_EQ(made->as_stated, 2U);
  ASSERT_EQ(made->varied.size(), 2U);
  std::set<std::string> samples;
  for (const std::vector<std::uint32_t>& of_sample : made->varied)
    samples.insert(text_of(made->points[of_sample[0]]) + " " + text_of(made->points[of_sample[1]]));
  EXPECT_EQ(samples,
            (std::set<std::string>{"clock_mhz=900 clock_mhz=1800", "clock_mhz=1100 clock_mhz=2200"}));
}

TEST(Uncertainty, IsRefusedWhereItMeansNothing) {
  EXPECT_NE(errors(uncertain("[uncertain]\nl2.latency = 1.5\n")).find("above 0 and below 1"),
            std::string::npos);
  EXPECT_NE(errors(uncertain("[uncertain]\nscheduler = 0.1\n")).find("no number that could vary"),
            std::string::npos);
  EXPECT_NE(errors(uncertain("[axes]\nsms = [2]\n[uncertain]\nsms = 0.4\n")).find("whole number"),
            std::string::npos);
  EXPECT_NE(errors(uncertain("")).find("samples of no uncertain key"), std::string::npos);
}

double setting(const Point& point, const std::string& key, double otherwise) {
  for (const configs::Setting& s : point.settings)
    if (s.key == key)
      return std::stod(s.value);
  return otherwise;
}

// Three points of 10, 11 and 30; a clock of 900 makes the first one slower than the second: 1 of the three
// pairs changes its order, tau = (2 - 1) / 3, and rho = 1 - 6 * 2 / (3 * 8).
TEST(Uncertainty, ShowsInTheOrderOfPoints) {
  const std::string text = uncertain("[axes]\nsms = [1, 2, 3]\n[uncertain]\nclock_mhz = 0.2\n");
  const auto file = read(text);
  const auto made = plan(text);
  ASSERT_TRUE(made) << render(made.error());
  Times times(made->points.size(), {"a"});
  for (std::uint32_t p = 0; p < made->points.size(); ++p) {
    const Point& point = made->points[p];
    const double sms = setting(point, "sms", 0);
    const bool slow = setting(point, "clock_mhz", 1000) < 1000;
    times.set(p, 0, {sms == 1 ? (slow ? 12.0 : 10.0) : sms == 2 ? 11.0 : 30.0, 0});
  }
  const auto analysis = analyse(*file, *made, times);
  ASSERT_TRUE(analysis) << render(analysis.error());
  EXPECT_EQ(analysis->points.size(), 3U); // those of the samples are no points of their own
  ASSERT_EQ(analysis->stabilities.size(), 1U);
  const Stability& s = analysis->stabilities.front();
  EXPECT_EQ(s.samples, 2U);
  EXPECT_NEAR(s.least_kendall, 1.0 / 3, 1e-12);
  EXPECT_NEAR(s.mean_kendall, (1 + 1.0 / 3) / 2, 1e-12);
  EXPECT_NEAR(s.least_spearman, 0.5, 1e-12);
  EXPECT_EQ(s.best, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, 1}}));
}

} // namespace
} // namespace kerncast::sweep::test
