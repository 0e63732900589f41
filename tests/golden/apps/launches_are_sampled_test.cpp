// --sample-launches: a few of many different launches are simulated, and the output says how far that may be
// off.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"

namespace kerncast::test {
namespace {

using Json = nlohmann::json;

constexpr int launches = 60;

// Launches of 24, 48, ... CTAs, each over as many elements as it has threads; the first happens three times.
std::string trace(const Folder& folder) {
  std::string text = R"({"format": "kerncast-app/1", "name": "trace", "modules": [")" + data("scale.ptx") +
                     R"("], "buffers": {"x": {"bytes": 4194304, "init": {"kind": "zeros"}}}})" + "\n";
  for (int i = 1; i <= launches; ++i) {
    const std::string ctas = std::to_string(24 * i);
    text += R"({"op": "kernel", "kernel": "scale", "block": [256], "grid": [)" + ctas + R"(], "repeat": )" +
            (i == 1 ? "3" : "1") + R"(, "args": [{"buffer": "x"}, {"buffer": "x"}, {"f32": 2.0}, {"i32": )" +
            std::to_string(24 * i * 256) + "}]}\n";
  }
  return folder.write("t.jsonl", text);
}

std::string answer(const std::string& arguments) {
  const Ended ended = kerncast("predict --gpu v100-sxm2-16gb " + arguments);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended.out;
}

TEST(SampledLaunches, AreNamedWithTheirError) {
  const Folder folder;
  const std::string file = trace(folder);
  const Json all = Json::parse(answer("--json - " + file))[0];
  const Json sampled = Json::parse(answer("--sample-launches 8 --json - " + file))[0];
  const Json& kernel = sampled["kernels"][0];
  EXPECT_EQ(kernel["launches"], launches + 2);
  EXPECT_EQ(kernel["sampled_launches"]["distinct"], launches);
  EXPECT_EQ(kernel["sampled_launches"]["simulated"], 8);
  EXPECT_NE(kernel["assumptions"].dump().find(
                "launches: 8 of 60 distinct ones with 256 threads a CTA are simulated"),
            std::string::npos)
      << kernel["assumptions"];
  EXPECT_FALSE(all["kernels"][0].contains("sampled_launches"));

  // Each launch has 8 warps a CTA that do the same: their number is a power law, which is found exactly.
  EXPECT_NEAR(kernel["warp_instructions"].get<double>(), all["kernels"][0]["warp_instructions"].get<double>(),
              1e-3 * kernel["warp_instructions"].get<double>());
  const double error = kernel["time_us"].get<double>() / all["kernels"][0]["time_us"].get<double>() - 1;
  EXPECT_LT(std::abs(error), kernel["sampled_launches"]["error"].get<double>());
  EXPECT_LT(kernel["sampled_launches"]["error"], 0.15);
  // The interval of what was estimated is that of its neighbour and more.
  EXPECT_GT(sampled["total_interval"]["high_us"].get<double>() / sampled["total_time_us"].get<double>(),
            all["total_interval"]["high_us"].get<double>() / all["total_time_us"].get<double>());
}

TEST(SampledLaunches, AreTheSameOnAnyNumberOfThreads) {
  const Folder folder;
  const std::string file = trace(folder);
  const std::string one = answer("--sample-launches 5 --threads 1 --json - " + file);
  EXPECT_EQ(answer("--sample-launches 5 --threads 3 --json - " + file), one);
}

TEST(SampledLaunches, AreAllWhereThereAreNoMore) {
  const Folder folder;
  const std::string file = trace(folder);
  EXPECT_EQ(answer("--sample-launches 60 --json - " + file), answer("--json - " + file));
}

TEST(SampledLaunches, AreAnAssumption) {
  const Folder folder;
  const Ended ended = kerncast("predict --gpu v100-sxm2-16gb --sample-launches 8 --strict " + trace(folder));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("assumes: launches: 8 of 60 distinct ones"), std::string::npos) << ended.err;
}

TEST(SampledLaunches, AreTwoAtLeastAndNotExplained) {
  const Folder folder;
  const std::string file = trace(folder);
  const Ended one = kerncast("predict --gpu unit --sample-launches 1 " + file);
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_NE(one.err.find("--sample-launches"), std::string::npos) << one.err;
  const Ended explained = kerncast("predict --gpu unit --sample-launches 8 --explain " + file);
  EXPECT_EQ(explained.exit_code, 1);
  EXPECT_NE(explained.err.find("leave out --sample-launches"), std::string::npos) << explained.err;
}

} // namespace
} // namespace kerncast::test
