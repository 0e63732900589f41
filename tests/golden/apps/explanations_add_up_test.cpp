// What --explain, --what-if and --timeline say agrees with the prediction, to the last bit.
#include "answers.h"

#include <map>

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

const std::string pathfinder_app = KERNCAST_SOURCE_DIR "/apps/workloads/rodinia/pathfinder/app.json";

// Two loads in a row and what depends on them: short enough to work out by hand.
const std::string chain = "kerncast-tasklist/1\n"
                          "ld.shared.f32 %1 <- %0\n"
                          "mul.f32 %2 <- %1 %1\n"
                          "sqrt.approx.f32 %3 <- %2\n"
                          "st.shared.f32 <- %0 %3\n";

using States = std::map<std::string, double>;

States sum_of(const Json& lines) {
  States sum;
  for (const Json& line : lines)
    for (const auto& [state, cycles] : line.at("warp_state_cycles").items())
      sum[state] += cycles.get<double>();
  return sum;
}

// Launches differ, so that means could not add up: the explanation has sums over the five launches.
TEST(Explain, LinesAddUpToStatesExactly) {
  const Json kernel = predicted(pathfinder_app + " --gpu titan-x --explain").at(0).at("kernels").at(0);
  const Json& explanation = kernel.at("explanation");
  const States all = explanation.at("warp_state_cycles");
  double instructions = 0;
  for (const Json& line : explanation.at("ptx_lines"))
    instructions += line.at("warp_instructions").get<double>();
  // Every SM of a group is taken to have the same mix of CTA classes, which is the grid's but for rounding.
  const auto launches = kernel.at("launches").get<double>();
  EXPECT_NEAR(instructions, launches * kernel.at("warp_instructions").get<double>(), 0.01 * instructions);
  for (const char* lines : {"ptx_lines", "source_lines"}) {
    States sum = sum_of(explanation.at(lines));
    for (const auto& [state, cycles] : all)
      EXPECT_EQ(sum[state], cycles) << lines << " " << state;
  }
  for (const auto& [state, cycles] : all)
    EXPECT_NEAR(cycles,
                kernel.at("launches").get<double>() * kernel.at("warp_state_cycles").at(state).get<double>(),
                1e-9 * cycles);
}

TEST(Explain, ChangesNothingElse) {
  Json plain = predicted(pathfinder_app + " --gpu titan-x");
  Json explained = predicted(pathfinder_app + " --gpu titan-x --explain");
  explained.at(0).at("kernels").at(0).erase("explanation");
  EXPECT_EQ(plain, explained);
}

// A launch over 8 MiB that nobody touched, and then forty small ones: each takes less than the large one,
// all together more.
std::string one_large_launch(const Folder& folder) {
  std::string text = R"({"format": "kerncast-app/1", "name": "first", "modules": [")" + data("scale.ptx") +
                     R"("], "buffers": {"x": {"bytes": 8388608, "init": {"kind": "zeros"}}}})" + "\n";
  for (int i = 0; i <= 40; ++i) {
    const int ctas = i == 0 ? 8192 : i;
    text += R"({"op": "kernel", "kernel": "scale", "block": [256], "grid": [)" + std::to_string(ctas) +
            R"(], "args": [{"buffer": "x"}, {"buffer": "x"}, {"f32": 2.0}, {"i32": )" +
            std::to_string(ctas * 256) + "}]}\n";
  }
  return folder.write("first.jsonl", text);
}

TEST(Explain, TheBoundIsThatOfMostOfTheTime) {
  const Folder folder;
  const Json kernel =
      predicted(one_large_launch(folder) + " --gpu v100-sxm2-16gb --explain").at(0).at("kernels").at(0);
  const Json& shares = kernel.at("bound_shares");
  ASSERT_EQ(shares.size(), 2U) << shares;
  EXPECT_EQ(kernel.at("bound"), "launch");
  EXPECT_GT(shares.at("launch").get<double>(), 0.5);
  EXPECT_NEAR(shares.at("launch").get<double>() + shares.at("dram_bandwidth").get<double>(), 1, 1e-12);
  // What the large launch keeps busy is busy for its share of the time only.
  EXPECT_LE(kernel.at("explanation").at("utilisation").at("dram_bandwidth"),
            1.01 * shares.at("dram_bandwidth").get<double>());
}

TEST(Explain, ABoundOfAllLaunchesHasNoShares) {
  EXPECT_FALSE(
      predicted(pathfinder_app + " --gpu titan-x").at(0).at("kernels").at(0).contains("bound_shares"));
}

// Latencies 1, 1, 40 and 1: the store issues at 42 and ends at 43. With half the root's latency at 23, a gain
// of 20 in 43; halving what takes one cycle, or making idle units twice as fast, gains nothing or less.
TEST(WhatIf, HalvingALatencyGainsItsHalf) {
  const Folder folder;
  const std::string file = folder.write("chain.tasklist", chain);
  const Json kernel = predicted(file + " --gpu unit --set units.sfu.latency=40 --grid 1 --block 32 --what-if")
                          .at(0)
                          .at("kernels")
                          .at(0);
  EXPECT_EQ(kernel.at("cycles"), 43);
  const Json& changes = kernel.at("explanation").at("what_if");
  EXPECT_EQ(changes.at(0).at("change"), "units.sfu.latency / 2");
  EXPECT_EQ(changes.at(0).at("cycles"), 23);
  EXPECT_EQ(changes.at(0).at("gain"), 1 - 23.0 / 43.0);
  for (std::size_t i = 1; i < changes.size(); ++i)
    EXPECT_LE(changes.at(i).at("gain"), 0.03) << changes.at(i);
}

// As above, but nobody waits for the root: 1 + 1 until it issues at 2, and its issue takes a cycle. With all
// results awaited the warp ends 40 cycles after that.
TEST(Explain, AWarpEndsAsItsGpuSays) {
  const Folder folder;
  const std::string file = folder.write("unused.tasklist", "kerncast-tasklist/1\n"
                                                           "ld.shared.f32 %1 <- %0\n"
                                                           "mul.f32 %2 <- %1 %1\n"
                                                           "sqrt.approx.f32 %3 <- %2\n"
                                                           "st.shared.f32 <- %0 %2\n");
  const std::string command =
      file + " --gpu unit --set units.sfu.latency=40 --grid 1 --block 32 --set warp_end=";
  const auto cycles = [&](const std::string& end) {
    return predicted(command + end).at(0).at("kernels").at(0).at("cycles");
  };
  EXPECT_EQ(cycles("last-completion"), 42);
  EXPECT_EQ(cycles("last-issue"), 4);
}

// Launches that are bound by latencies, and by each limit of the resident CTAs.
class EveryChange : public testing::TestWithParam<const char*> {};

// A key is set once.
std::string without_set(std::string command, const std::string& key) {
  if (const std::size_t at = command.find(" --set " + key + "="); at != std::string::npos)
    command.erase(at, command.find(' ', command.find('=', at)) - at);
  return command;
}

// A row "KEY / 2" or "KEY x 2" is the prediction with that value set: no operation here has a latency of its
// own in the ISA table, which the table's rows halve with its unit's.
TEST_P(EveryChange, IsThePredictionOfTheChangedGpu) {
  const Folder folder;
  const std::string file = folder.write("all.tasklist", "kerncast-tasklist/1\n"
                                                        "ld.const.f32 %6 <- %0\n"
                                                        "ld.global.f32 %1 <- %0\n"
                                                        "ld.shared.f32 %2 <- %0\n"
                                                        "fma.rn.f32 %3 <- %1 %2 %6\n"
                                                        "sin.approx.f32 %4 <- %3\n"
                                                        "fma.rn.f64 %5 <- %4 %4 %4\n"
                                                        "st.global.f32 <- %0 %5\n");
  const std::string command =
      file + " --gpu titan-x --set l1.latency=40 --set l2.latency=100 --l1-hit 0.3 --l2-hit 0.4 --exact " +
      GetParam();
  const Json plain = predicted(command + " --what-if").at(0);
  const Json& changes = plain.at("kernels").at(0).at("explanation").at("what_if");
  EXPECT_GE(changes.size(), 15U);
  for (const Json& change : changes) {
    const auto text = change.at("change").get<std::string>();
    const std::string key = text.substr(0, text.find(' '));
    const auto value = plain.at("gpu_resolved").at(key).get<double>();
    const Json changed = text.ends_with(" / 2") ? Json(value / 2) : Json(value * 2);
    const std::string set = " --set " + key + "=" + changed.dump();
    const Json kernel = predicted(without_set(command, key) + set).at(0).at("kernels").at(0);
    EXPECT_EQ(change.at("cycles"), kernel.at("cycles")) << set;
  }
}

INSTANTIATE_TEST_SUITE_P(WhatIf, EveryChange,
                         testing::Values("--grid 24 --block 32 --regs 32", "--grid 400 --block 256 --regs 64",
                                         "--grid 400 --block 256 --regs 32",
                                         "--grid 1600 --block 32 --regs 32"));

// Four instructions, each in two slices, and the wait for the root: 39 cycles after its own.
TEST(Timeline, ShowsWarpsAndUnits) {
  const Folder folder;
  const std::string file = folder.write("chain.tasklist", chain);
  const std::string out = folder.path("t.json");
  const Ended ended = kerncast(
      "predict " + file + " --gpu unit --set units.sfu.latency=40 --grid 1 --block 32 --timeline " + out);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  const Json timeline = Json::parse(read(out), nullptr, false);
  EXPECT_EQ(timeline.at("otherData").at("cycles"), 43);
  EXPECT_EQ(timeline.at("otherData").at("cut"), false);
  std::vector<std::string> warp_slices;
  std::size_t unit_slices = 0;
  for (const Json& event : timeline.at("traceEvents")) {
    if (event.at("ph") != "X")
      continue;
    if (event.at("pid") == 1)
      warp_slices.push_back(event.at("name").get<std::string>() + " " + event.at("ts").dump() + " " +
                            event.at("dur").dump());
    else
      ++unit_slices;
  }
  EXPECT_EQ(warp_slices,
            (std::vector<std::string>{"2:ld.shared.f32 0 1", "3:mul.f32 1 1", "4:sqrt.approx.f32 2 1",
                                      "wait 3 39", "5:st.shared.f32 42 1"}));
  EXPECT_EQ(unit_slices, 4U);
}

TEST(Timeline, IsCutAtItsLimitAndSaysSo) {
  const Folder folder;
  const Ended ended = kerncast("predict " + pathfinder_app + " --gpu titan-x --timeline-of sm --timeline " +
                               folder.path("t.json"));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.err.find("note: the timeline of dynproc_kernel is cut after 1000"), std::string::npos)
      << ended.err;
  const Json timeline = Json::parse(read(folder.path("t.json")), nullptr, false);
  EXPECT_EQ(timeline.at("otherData").at("cut"), true);
  EXPECT_LT(timeline.at("traceEvents").size(), 101'000U);
}

TEST(Explain, IsRefusedWhereNothingIsSimulated) {
  for (const char* option : {"--explain", "--what-if", "--timeline t.json --timeline-of sm"}) {
    const Ended ended = kerncast("predict " + pathfinder_app + " --gpu titan-x --model roofline " + option);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_NE(ended.err.find("the model roofline does not simulate warps"), std::string::npos) << ended.err;
  }
}

} // namespace
} // namespace kerncast::test
