// Objectives and sensitivities are those of the points' own values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep/analysis.h"
#include "sweep_text.h"

namespace kerncast::sweep::test {
namespace {

// Every point takes 1 us, the first one 2.
Expected<Analysis> analysis(const std::string& text) {
  const Expected<SweepFile> file = read(text);
  const Expected<Plan> made = plan(text);
  if (!file || !made)
    return tl::unexpected(file ? made.error() : file.error());
  Times times(made->points.size(), {"a"});
  for (std::uint32_t p = 0; p < made->points.size(); ++p)
    times.set(p, 0, {p == 0 ? 2.0 : 1.0, 0});
  return analyse(*file, *made, times);
}

TEST(Analyses, ObjectivesOverKeysThatAreTrueOrFalse) {
  const auto found =
      analysis(head + "[axes]\ndual_issue = [true, false]\n[objectives]\ncost = \"100 * dual_issue\"\n");
  ASSERT_TRUE(found) << render(found.error());
  ASSERT_EQ(found->points.size(), 2U);
  std::vector<double> costs = {found->points[0].objectives[0], found->points[1].objectives[0]};
  EXPECT_THAT(costs, testing::UnorderedElementsAre(0, 100));
}

// The GPU as it is counts for every axis, with the key that is an expression, too.
TEST(Analyses, OneAtATimeComparesWithTheGpuAsItIs) {
  const auto found =
      analysis("[sweep]\nbase = [\"unit\"]\napps = [\"a.json\"]\nsampling = \"one-at-a-time\"\n[axes]\n"
               "sms = [2]\nclock_mhz = [900]\nl2.latency = { expression = \"100 + sms\" }\n");
  ASSERT_TRUE(found) << render(found.error());
  std::vector<std::string> keys;
  for (const Sensitivity& one : found->sensitivities)
    keys.push_back(one.key);
  EXPECT_THAT(keys, testing::UnorderedElementsAre("sms", "clock_mhz"));
}

} // namespace
} // namespace kerncast::sweep::test
