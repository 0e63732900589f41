// Rows whose hit rates are found together are a group: those of one L1, on several L2s.
#include <algorithm>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "../../temporary_folder.h"
#include "sweep/prepare.h"
#include "sweep/units.h"

namespace kerncast::app {
namespace {

// vector_add on a Titan X; `rest` is behind [sweep]'s application.
SweepJob job_of(const std::string& rest) {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "s.toml").string();
  std::ofstream(file) << "[sweep]\nbase = [\"titan-x\"]\napps = [\"" KERNCAST_SOURCE_DIR
                         "/apps/workloads/basic/vector_add/app.json\"]\n"
                      << rest;
  int argc = 0;
  char** argv = nullptr;
  auto sweep = prepare_sweep(file, configs::ConfigPath({KERNCAST_SOURCE_DIR "/configs"}), 1, StopRequest({}),
                             cluster::Cluster(argc, argv));
  EXPECT_TRUE(sweep) << sweep.error().message;
  return std::move(sweep->job);
}

MissingUnits units_of(const SweepJob& job, std::size_t workers,
                      const std::vector<sweep::Fingerprint>& there = {}) {
  std::vector<std::uint32_t> points(job.plan.points.size());
  for (std::uint32_t p = 0; p < points.size(); ++p)
    points[p] = p;
  return missing_units(job, points, there, workers);
}

// Values of a key at the points of a unit.
std::set<std::string> values_in(const SweepJob& job, const WorkUnit& unit, const std::string& key) {
  std::set<std::string> values;
  for (const std::uint32_t p : unit.points)
    for (const configs::Setting& setting : job.plan.points[p].settings)
      if (setting.key == key)
        values.insert(setting.value);
  return values;
}

constexpr const char* sizes = "[axes]\nl2.mib = { from = 1, to = 20, steps = 20, round = 1 }\n"
                              "clock_mhz = { from = 900, to = 999, steps = 100, round = 1 }\n";

TEST(Units, OfOneWorkerFindUpTo64L2sTogether) {
  const SweepJob job = job_of("[axes]\nl2.mib = { from = 1, to = 150, steps = 150, round = 1 }\n"
                              "clock_mhz = { from = 900, to = 909, steps = 10, round = 1 }\n");
  const MissingUnits missing = units_of(job, 1);
  ASSERT_EQ(missing.finding.size(), 3U); // 64 + 64 + 22
  std::set<std::string> found;
  std::size_t most = 0;
  for (const WorkUnit& finding : missing.finding) {
    EXPECT_TRUE(finding.finds);
    const std::set<std::string> of_group = values_in(job, finding, "l2.mib");
    most = std::max(most, of_group.size());
    found.insert(of_group.begin(), of_group.end());
    EXPECT_LE(finding.points.size(), 3 * of_group.size());
  }
  EXPECT_EQ(most, 64U);
  EXPECT_EQ(found.size(), 150U);
  for (const WorkUnit& unit : missing.units) {
    EXPECT_FALSE(unit.is_group);
    const std::set<std::string> own = values_in(job, unit, "l2.mib");
    const std::set<std::string> told = values_in(job, missing.finding[unit.group], "l2.mib");
    EXPECT_TRUE(std::ranges::includes(told, own));
  }
}

// As many as there are L2s, and more: none waits for what another finds of several.
TEST(Units, OfManyWorkersFindEachL2ByItself) {
  const SweepJob job = job_of(sizes);
  EXPECT_EQ(units_of(job, 10).finding.size(), 20U);
  EXPECT_EQ(units_of(job, 5).finding.size(), 10U);
}

// With 64 units a worker one has one row here: a group of two L2s has two units, and one of one L2 is its
// unit.
TEST(Units, SayWhetherTheyHoldAllRowsOfTheirGroup) {
  const MissingUnits missing = units_of(job_of("[axes]\nl2.mib = [1, 2, 3]\n"), 1);
  ASSERT_EQ(missing.units.size(), 3U);
  EXPECT_EQ(missing.units[0].group, missing.units[1].group);
  EXPECT_FALSE(missing.units[0].is_group);
  EXPECT_FALSE(missing.units[1].is_group);
  EXPECT_TRUE(missing.units[2].is_group);
}

// 8 ways of L1 are not 8 SMs.
TEST(Units, OfSeveralKeysAreTheSameGroupOnlyIfKeysAndValuesAre) {
  const SweepJob job = job_of("sampling = \"one-at-a-time\"\n[axes]\nl1.ways = [8]\nsms = [8]\n"
                              "clock_mhz = [900, 1000]\n");
  std::set<std::string> groups;
  for (const WorkUnit& finding : units_of(job, 1).finding) {
    std::string texts;
    for (const std::uint32_t p : finding.points)
      texts += "{" + sweep::text_of(job.plan.points[p]) + "}";
    groups.insert(texts);
  }
  EXPECT_EQ(groups, std::set<std::string>({"{}{clock_mhz=900}{clock_mhz=1000}", "{l1.ways=8}", "{sms=8}"}));
}

TEST(Units, ThatWereDoneAreNotFoundAgain) {
  const SweepJob job = job_of("[axes]\nl2.mib = [1, 2]\nclock_mhz = [900, 1000, 1100]\n");
  std::vector<sweep::Fingerprint> there;
  for (const sweep::Point& point : job.plan.points)
    if (sweep::text_of(point).ends_with("l2.mib=1"))
      there.push_back(sweep::key_of("vector_add", "titan-x", sweep::text_of(point)));
  std::ranges::sort(there);
  ASSERT_EQ(there.size(), 3U);
  for (const std::size_t workers : {1, 4}) {
    std::set<std::string> found;
    for (const WorkUnit& finding : units_of(job, workers, there).finding)
      found.merge(values_in(job, finding, "l2.mib"));
    EXPECT_EQ(found, std::set<std::string>({"2"}));
  }
}

} // namespace
} // namespace kerncast::app
