// One table of keys serves reading, --set, `gpus show` and the manual.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

std::vector<Setting> settings_of(const Gpu& gpu) {
  std::vector<Setting> settings;
  for (const auto& [key, value] : resolved_values(gpu))
    settings.push_back({key, value});
  return settings;
}

TEST(KeyTable, KeysAreUniqueAndSayWhatTheyMean) {
  std::set<std::string> seen;
  for (const KeyDescription& key : describe_keys()) {
    EXPECT_TRUE(seen.insert(key.key).second) << key.key;
    EXPECT_FALSE(key.meaning.empty()) << key.key;
  }
}

TEST(KeyTable, HasTheKeysThatScriptsRelyOn) {
  std::vector<std::string> keys;
  for (const KeyDescription& key : describe_keys())
    keys.push_back(key.key);
  EXPECT_THAT(keys, testing::IsSupersetOf({"sms", "clock_mhz", "sub_cores_per_sm", "l1.kib", "l2.mib",
                                           "l1.latency", "l2.latency", "dram.latency", "dram.bandwidth_gbps",
                                           "units.NAME.latency", "units.NAME.issue_interval"}));
}

TEST(KeyTable, ResolvedValuesSetOnAnotherGpuMakeItTheSame) {
  for (const char* name : {"unit", "titan-x", "k40m"}) {
    const Gpu gpu = shipped_gpu(name);
    // The units differ between GPUs, so the values go back to the same one, all changed to --set.
    const Gpu again = shipped_gpu(name, settings_of(gpu));
    EXPECT_EQ(resolved_values(again), resolved_values(gpu));
    for (const auto& [key, value] : resolved_values(again))
      if (value != "not known" && value != "not stated") { // such a word withdraws a statement
        EXPECT_EQ(again.origins.at(key).place, "--set") << key;
      }
    EXPECT_THAT(again.assumptions,
                testing::Each(testing::AnyOf(testing::HasSubstr("no prediction depends on it"),
                                             testing::HasSubstr("= not checked by --set"))));
  }
}

// A row that sets or gets another row's member shows as another value that changes.
TEST(KeyTable, EveryNumberCanBeSetAlone) {
  const Gpu gpu = shipped_gpu("unit");
  const auto before = resolved_values(gpu);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto& [key, value] = before[i];
    const auto other = load_gpu("unit", {{key, "2"}}, ConfigPath({shipped}));
    if (!other || value == "2") // out of bounds, a text, or a contradiction to another key
      continue;
    ++changed;
    const auto after = resolved_values(*other);
    for (std::size_t j = 0; j < after.size(); ++j) {
      const std::string& other_key = after[j].first;
      const bool follows = other_key.ends_with(".lanes") || other_key.ends_with(".issue_interval") ||
                           other_key.starts_with("peak.") ||
                           (key.starts_with("compute_capability.") &&
                            (other_key.starts_with("limits.") || other_key == "resident_grids"));
      if (i != j && follows)
        continue;
      EXPECT_EQ(after[j].second, i == j ? "2" : before[j].second) << key << " changed " << other_key;
    }
  }
  EXPECT_GT(changed, 50U); // of 77
}

TEST(KeyTable, ResolvedValuesStandInTheTablesOrder) {
  const auto keys = describe_keys();
  const auto values = resolved_values(shipped_gpu("unit"));
  ASSERT_GE(values.size(), keys.size());
  for (std::size_t i = 0; i < keys.size() && !keys[i].key.starts_with("units."); ++i)
    EXPECT_EQ(values[i].first, keys[i].key);
}

} // namespace
} // namespace kerncast::configs::test
