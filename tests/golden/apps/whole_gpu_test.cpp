// --fidelity gpu: all SMs instead of one, the same bytes however it is run.
#include "program.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kerncast::test {
namespace {

const std::string pathfinder_on_titan_x =
    "predict " KERNCAST_SOURCE_DIR "/apps/workloads/rodinia/pathfinder/app.json --gpu titan-x --json - ";

double cycles_of(const std::string& options) {
  return nlohmann::json::parse(kerncast(pathfinder_on_titan_x + options).out)[0]["kernels"][0]["cycles"];
}

// All its CTAs but those of the grid's edge are alike.
TEST(WholeGpu, AgreesWithOneSmOnAUniformKernel) {
  EXPECT_LT(std::abs(cycles_of("--fidelity gpu") / cycles_of("--fidelity sm") - 1), 0.03);
}

// Six CTAs: ranks that share a core wait long for each other after every window.
const std::string small_launch =
    "predict " KERNCAST_SOURCE_DIR "/apps/workloads/rodinia/pathfinder/pathfinder.ptx --grid 6 --block 256 "
    "--arg i32:2 --arg buf:39600000 --arg buf:400000 --arg buf:400000 --arg i32:100000 --arg i32:100 --arg "
    "i32:0 "
    "--arg i32:20 --gpu titan-x --fidelity gpu --json - ";

TEST(WholeGpu, GivesTheSameBytesOnThreadsAndRanks) {
  const Ended one = kerncast(small_launch + "--threads 1");
  EXPECT_NE(one.err.find("note: dynproc_kernel: "), std::string::npos) << one.err;
  const Ended three = kerncast(small_launch + "--threads 3");
  EXPECT_EQ(three.out, one.out);
  EXPECT_EQ(three.err, one.err);
  for (const int ranks : {2, 3}) {
    const Ended spread = kerncast(small_launch + "--threads 1", on_ranks(ranks));
    EXPECT_EQ(spread.out, one.out) << ranks << " ranks: " << spread.err;
  }
}

// A graph whose edges are known: CTAs are executed one by one, and all launches leave something in L2.
TEST(WholeGpu, FollowsKnownDataToTheSameBytesOnThreadsAndRanks) {
  const std::string bfs = "predict " KERNCAST_SOURCE_DIR
                          "/apps/workloads/basic/bfs/app.json --gpu titan-x --fidelity gpu --json - ";
  const Ended one = kerncast(bfs + "--threads 1");
  const nlohmann::json kernel = nlohmann::json::parse(one.out)[0]["kernels"][0];
  EXPECT_EQ(kernel["hit_source"], "simulated");
  EXPECT_EQ(kerncast(bfs + "--threads 3").out, one.out);
  EXPECT_EQ(kerncast(bfs + "--threads 1", on_ranks(2)).out, one.out);
}

// Twelve loads a trip, of which the registers hold few at a time: ordered together four trips would take
// longer than one after the other.
TEST(WholeGpu, TripsThatExecuteTogetherAreNoSlower) {
  const auto cycles = [](const std::string& options) {
    const std::string spmv = "predict " KERNCAST_SOURCE_DIR
                             "/apps/workloads/basic/spmv/app.json --gpu a100-sxm4-40gb --fidelity gpu ";
    return nlohmann::json::parse(kerncast(spmv + "--json - " + options).out)[0]["kernels"][0]["cycles"]
        .get<double>();
  };
  EXPECT_LT(cycles(""), 1.01 * cycles("--without unrolling"));
}

// Given rates decide where the caches' lines would.
TEST(WholeGpu, SaysWhatDecidesAboutHits) {
  const Ended by_lines = kerncast(small_launch);
  EXPECT_NE(by_lines.err.find("hits by the lines that caches hold"), std::string::npos) << by_lines.err;
  EXPECT_NE(by_lines.out.find("a hash of ours"), std::string::npos);
  const Ended by_rates = kerncast(small_launch + "--l1-hit 0.5 --l2-hit 0.5");
  EXPECT_NE(by_rates.err.find("hits by rates"), std::string::npos) << by_rates.err;
  EXPECT_EQ(nlohmann::json::parse(by_rates.out)[0]["kernels"][0]["hit_source"], "oracle");
}

TEST(WholeGpu, RefusesWhatIsOfOneSm) {
  for (const char* options : {"--what-if", "--model roofline", "--model all", "--cache results"}) {
    const Ended ended = kerncast(pathfinder_on_titan_x + "--fidelity gpu " + options);
    EXPECT_EQ(ended.exit_code, 1) << options;
    EXPECT_NE(ended.err.find("fidelity"), std::string::npos) << ended.err;
  }
}

} // namespace
} // namespace kerncast::test
