// A search under a budget finds the best point of a grid, from a small part of its points.
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sweep/search.h"
#include "sweep_text.h"

namespace kerncast::sweep::test {
namespace {

struct Found {
  std::string point;
  std::size_t predicted = 0;
};

double number(const Point& point, const std::string& key) {
  for (const configs::Setting& setting : point.settings)
    if (setting.key == key)
      return std::stod(setting.value);
  return 0;
}

template <class Cost> Found search_for(const std::string& text, const Cost& cost) {
  const Expected<SweepFile> file = read(text);
  const Expected<Plan> made = plan(text);
  EXPECT_TRUE(made) << render(made.error());
  Search search(*file, *made);
  std::map<std::uint32_t, double> costs;
  for (std::vector<std::uint32_t> points; !(points = search.next(costs)).empty();)
    for (const std::uint32_t p : points) {
      EXPECT_FALSE(costs.contains(p)) << "asked twice";
      costs[p] = cost(made->points[p]);
    }
  Found found{"", costs.size()};
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [p, of_point] : costs)
    if (of_point < least) {
      least = of_point;
      found.point = text_of(made->points[p]);
    }
  return found;
}

std::string searched(std::size_t points, const std::string& rest) {
  return fmt::format(
      "[sweep]\nbase = [\"unit\"]\napps = [\"a.json\"]\nsampling = \"search\"\npoints = {}\n{}", points,
      rest);
}

// On the budget, clock = 20 (60 - sms), the time is 1000 / sms + 200 / (60 - sms): 24.390 + 10.526 = 34.917
// for 41 SMs, 25.000 + 10.000 for 40, 23.810 + 11.111 = 34.921 for 42.
TEST(Search, FindsTheBestUnderABudget) {
  const std::string text = searched(60, "[axes]\nsms = { from = 1, to = 60, steps = 60 }\n"
                                        "clock_mhz = { from = 100, to = 1200, steps = 56 }\n"
                                        "[constraints]\nbudget = \"sms + clock_mhz / 20 <= 60\"\n");
  const Found found = search_for(text, [](const Point& point) {
    return 1000 / number(point, "sms") + 4000 / number(point, "clock_mhz");
  });
  EXPECT_EQ(found.point, "clock_mhz=380, sms=41");
  EXPECT_LE(found.predicted, 60U); // of 1512 that the budget leaves
}

TEST(Search, PredictsAllOfASmallGrid) {
  const Found found =
      search_for(searched(100, "[axes]\nsms = [1, 2, 3]\nissue_width = [1, 2]\n"), [](const Point& point) {
        return std::abs(number(point, "sms") - 2) + number(point, "issue_width");
      });
  EXPECT_EQ(found.point, "issue_width=1, sms=2");
  EXPECT_EQ(found.predicted, 6U);
}

TEST(Search, PassesPointsWithoutAPrediction) {
  const Found found =
      search_for(searched(30, "[axes]\nsms = { from = 1, to = 30, steps = 30 }\n"), [](const Point& point) {
        const double sms = number(point, "sms");
        return sms < 10 ? std::numeric_limits<double>::infinity() : sms;
      });
  EXPECT_EQ(found.point, "sms=10");
}

TEST(Search, HasOneObjectiveAndABound) {
  EXPECT_NE(errors("[sweep]\nbase = [\"unit\"]\napps = [\"a.json\"]\nsampling = \"search\"\n")
                .find("points is missing"),
            std::string::npos);
  EXPECT_NE(errors(searched(9, "[objectives]\na = \"sms\"\nb = \"l2.mib\"\n"))
                .find("s.toml:8:1: error: a search "
                      "has one objective"),
            std::string::npos);
}

} // namespace
} // namespace kerncast::sweep::test
