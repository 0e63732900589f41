// Kernels of two streams with --fidelity gpu: simulated on the SMs that they share.
#include "answers.h"

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

class OverlappingKernels : public testing::Test {
protected:
  // The second kernel is launched 1 us after the first, into `stream`.
  std::string command(int stream, const std::string& options) const {
    const auto kernel = [](int of_stream, const std::string& buffer) {
      return R"({"op": "kernel", "kernel": "scale", "grid": [512], "block": [256], "stream": )" +
             std::to_string(of_stream) + R"(, "args": [{"buffer": ")" + buffer +
             R"("}, {"buffer": "y"}, {"f32": 2.0}, {"i32": 131072}]})";
    };
    const std::string app =
        R"({"format": "kerncast-app/1", "name": "two", "modules": [")" + data("scale.ptx") +
        R"("], "buffers": {"x": {"bytes": 524288}, "z": {"bytes": 524288}, "y": {"bytes": 524288}},
"events": [)" +
        kernel(1, "x") + ", " + kernel(stream, "z") + "]}";
    return "predict " + folder_.write("app.json", app) +
           " --gpu titan-x --set launch_overhead_us=1 --set kernel_gap_us=0 --no-interval --json - " +
           options;
  }
  Json json(int stream, const std::string& options) const {
    return Json::parse(answer(command(stream, options))).at(0);
  }

  Folder folder_;
};

// One after the other by shares, as each fills the GPU; the second starts in the tail of the first.
TEST_F(OverlappingKernels, TakeLessThanTheirSumAndMoreThanOne) {
  const Json in_turn = json(1, "--fidelity gpu");
  const Json together = json(2, "--fidelity gpu");
  EXPECT_EQ(together.at("kernels"), in_turn.at("kernels"));
  const double total = together.at("total_time_us");
  EXPECT_LT(total, in_turn.at("total_time_us").get<double>());
  EXPECT_GT(total, 1 + together.at("kernels").at(0).at("time_us").get<double>());
  EXPECT_TRUE(assumes(together, "kernels that overlap are simulated"));
  EXPECT_FALSE(assumes(together, "kernels that share the GPU are slowed down"));
  EXPECT_FALSE(in_turn.contains("assumptions"));
}

TEST_F(OverlappingKernels, GiveTheSameBytesOnThreadsAndRanks) {
  const Ended one = kerncast(command(2, "--fidelity gpu --threads 1"));
  EXPECT_NE(one.err.find("note: together on their SMs: scale from 0 to "), std::string::npos) << one.err;
  const Ended three = kerncast(command(2, "--fidelity gpu --threads 3"));
  EXPECT_EQ(three.out, one.out);
  EXPECT_EQ(three.err, one.err);
  const Ended spread = kerncast(command(2, "--fidelity gpu --threads 1"), on_ranks(2));
  EXPECT_EQ(spread.out, one.out) << spread.err;
}

// Without addresses, too.
TEST_F(OverlappingKernels, ShareWhereRatesDecide) {
  const std::string rates = "--fidelity gpu --l1-hit 0.5 --l2-hit 0.5";
  EXPECT_LT(json(2, rates).at("total_time_us").get<double>(),
            json(1, rates).at("total_time_us").get<double>());
}

} // namespace
} // namespace kerncast::test
