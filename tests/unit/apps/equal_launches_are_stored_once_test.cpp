#include "application/read.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kerncast::application {
namespace {

Application read_events(const std::string& events) {
  Expected<Application> app = read_application(SourceText(
      "app.json",
      fmt::format(R"({{"format": "kerncast-app/1", "name": "n", "modules": ["m.ptx"], "events": [{}]}})",
                  events)));
  EXPECT_TRUE(app) << render(app ? Diagnostics{} : app.error());
  return app ? std::move(*app) : Application{};
}

const std::string plain =
    R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32], "args": [{"i32": 1}]})";

TEST(DistinctLaunches, EqualLaunchesShareOneAndAreCounted) {
  // once, and once repeated five times
  const std::string repeated =
      R"({"op": "kernel", "kernel": "k", "grid": [4, 1], "block": [32], "args": [{"i32": 1}], "repeat": 5})";
  const Application app = read_events(plain + "," + repeated);
  ASSERT_EQ(app.launches.size(), 1U);
  EXPECT_EQ(app.launches[0].launches, 6U);
  EXPECT_EQ(std::get<timeline::KernelEvent>(app.events[1]).launch, 0U);
}

TEST(DistinctLaunches, AnythingThatDiffersMakesAnother) {
  const char* const others[] = {
      R"({"op": "kernel", "kernel": "l", "grid": [4], "block": [32], "args": [{"i32": 1}]})",
      R"({"op": "kernel", "kernel": "k", "grid": [5], "block": [32], "args": [{"i32": 1}]})",
      R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [33], "args": [{"i32": 1}]})",
      R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32], "args": [{"i32": 2}]})",
      R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32], "args": [{"u32": 1}]})",
      R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32]})",
      R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32], "args": [{"i32": 1}], "registers": 9})",
      R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32], "args": [{"i32": 1}],
          "spill_store_bytes": 0})",
      R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32], "args": [{"i32": 1}],
          "dynamic_smem_bytes": 4})",
      R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32], "args": [{"i32": 1}],
          "hit_rates": {"l1": 0, "l2": 0}})",
      R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32], "args": [{"i32": 1}],
          "branches": {"a": {"taken": 0}}})",
      R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32], "args": [{"i32": 1}],
          "loops": {"a": 0}})"};
  for (const char* other : others)
    EXPECT_EQ(read_events(plain + "," + other).launches.size(), 2U) << other;
}

TEST(DistinctLaunches, TheStreamDoesNot) {
  const std::string elsewhere =
      R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32], "args": [{"i32": 1}], "stream": 2})";
  EXPECT_EQ(read_events(plain + "," + elsewhere).launches.size(), 1U);
}

} // namespace
} // namespace kerncast::application
