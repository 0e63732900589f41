// kerncast microbench: what the microbenchmarks find on a described GPU is what its file says.
#include "program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kerncast::test {
namespace {

using Json = nlohmann::json;

Json found(const std::string& arguments) {
  const Ended ended = kerncast("microbench --json - " + arguments);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return Json::parse(ended.out);
}

double value(const Json& gpu, const std::string& family, const std::string& name) {
  for (const Json& finding : gpu.at("findings"))
    if (finding.at("family") == family && finding.at("name") == name)
      return finding.at("found").get<double>();
  ADD_FAILURE() << family << " of " << name << " was not looked for";
  return 0;
}

// An L2 of 1 MiB keeps the walks short.
TEST(Microbenchmarks, FindWhatTheFilesSay) {
  for (const Json& gpu : found("--gpu rtx2070 --gpu p100 --gpu v100-sxm2-16gb --set l2.mib=1"))
    for (const Json& finding : gpu.at("findings"))
      EXPECT_TRUE(finding.at("agrees").get<bool>()) << gpu.at("gpu") << " " << finding;
}

TEST(Microbenchmarks, FindWhatIsChanged) {
  const Json gpu = found("--gpu rtx2070 --set l2.mib=0.5 --set l2.latency=300 --set units.fp32.latency=7 "
                         "--set units.sfu.issue_interval=16 --set dram.bandwidth_gbps=300")
                       .at(0);
  EXPECT_EQ(value(gpu, "size", "l2"), 512);
  EXPECT_NEAR(value(gpu, "latency", "l2"), 300, 6);
  EXPECT_NEAR(value(gpu, "latency", "fma.rn.f32"), 7, 0.1);
  EXPECT_NEAR(value(gpu, "issue interval of an SM", "ex2.approx.ftz.f32"), 4, 0.1);
  EXPECT_NEAR(value(gpu, "bandwidth", "dram, copy"), 0.875 * 300, 8);
}

} // namespace
} // namespace kerncast::test
