// A value that only a mistake of unit or sign explains is refused, whatever the key.
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

using testing::HasSubstr;

struct Range {
  double low = 0;
  double high = 0;
};

// Of "10 to 10000, whole"; nothing for texts and choices.
std::optional<Range> range_of(const std::string& values) {
  Range range;
  const char* const end = values.data() + values.size();
  const auto low = std::from_chars(values.data(), end, range.low);
  const std::size_t to = values.find(" to ");
  if (low.ec != std::errc() || to == std::string::npos)
    return std::nullopt;
  const auto high = std::from_chars(values.data() + to + 4, end, range.high);
  return high.ec == std::errc() ? std::optional(range) : std::nullopt;
}

std::string error_of(const std::string& key, const std::string& value) {
  return Sandbox().errors("titan-x", {{key, value}});
}

TEST(PlausibleValues, EveryNumberHasARangeAndIsRefusedOutsideOfIt) {
  std::size_t numbers = 0;
  for (const KeyDescription& description : describe_keys()) {
    const auto range = range_of(description.values);
    if (!range)
      continue;
    ++numbers;
    std::string key = description.key;
    if (const std::size_t at = key.find("NAME"); at != std::string::npos)
      key.replace(at, 4, "alu");
    EXPECT_LT(range->low, range->high) << key;
    EXPECT_GE(range->low, 0) << key;
    EXPECT_THAT(error_of(key, "-1"), HasSubstr(key + " must be at least ")) << key;
    EXPECT_THAT(error_of(key, std::to_string(2 * range->high + 1)), HasSubstr(key + " must be at most "))
        << key;
  }
  EXPECT_GT(numbers, 70U);
}

TEST(PlausibleValues, MistakesOfUnitAreRefused) {
  struct Mistake {
    const char* key;
    const char* value;
    const char* message;
  };
  for (const Mistake& m : {
           Mistake{"clock_mhz", "1e9", "clock_mhz must be at most 10000, is 1000000000"},      // Hz
           Mistake{"boost_clock_mhz", "1.98", "boost_clock_mhz must be at least 10, is 1.98"}, // GHz
           Mistake{"dram.clock_mhz", "1753000000", "dram.clock_mhz must be at most 40000, is 1753000000"},
           Mistake{"dram.latency", "350000", "dram.latency must be at most 50000, is 350000"},
           Mistake{"l1.latency", "-1", "l1.latency must be at least 1, is -1"},
           Mistake{"l1.kib", "49152", "l1.kib must be at most 16384, is 49152"},                  // bytes
           Mistake{"l2.mib", "3145728", "l2.mib must be at most 2048, is 3145728"},               // bytes
           Mistake{"l2.mib", "3072", "l2.mib must be at most 2048, is 3072"},                     // KiB
           Mistake{"dram.bandwidth_gbps", "336e9", "dram.bandwidth_gbps must be at most 100000"}, // bytes/s
           Mistake{"dram.data_rate_gtps", "7012", "dram.data_rate_gtps must be at most 200, is 7012"}, // MT/s
           Mistake{"dram.sustained_fraction", "80", "dram.sustained_fraction must be at most 1, is 80"}, // %
           Mistake{"launch_overhead_us", "1e5", "launch_overhead_us must be at most 10000, is 100000"},
           Mistake{"host_link.bandwidth_gbps", "12000", "host_link.bandwidth_gbps must be at most 10000"},
           Mistake{"units.alu.latency", "6000000", "units.alu.latency must be at most 10000, is 6000000"},
           Mistake{"units.alu.issue_interval", "0",
                   "units.alu.issue_interval must be at least 0.015625, is 0"},
       })
    EXPECT_THAT(error_of(m.key, m.value), HasSubstr(std::string("error: --set: ") + m.message)) << m.key;
}

// The ranges keep out no GPU that exists: the slowest and the fastest of the database are inside by far.
TEST(PlausibleValues, LeaveATenfoldMarginAboveEveryShippedGpu) {
  std::map<std::string, Range> ranges;
  for (const KeyDescription& description : describe_keys())
    if (const auto range = range_of(description.values))
      ranges[description.key] = *range;
  const std::set<std::string_view> keys = {"dram.bandwidth_gbps", "l2.bytes_per_clock", "dram.latency",
                                           "l2.latency",          "l1.latency",         "shared.latency",
                                           "texture.latency",     "launch_overhead_us", "peak.fp32_gflops"};
  for (const std::string& name : list_gpus(ConfigPath({shipped})))
    for (const auto& [key, value] : resolved_values(shipped_gpu(name)))
      if (keys.contains(key)) {
        EXPECT_LE(10 * std::stod(value), ranges.at(key).high) << name << " " << key;
      }
}

} // namespace
} // namespace kerncast::configs::test
