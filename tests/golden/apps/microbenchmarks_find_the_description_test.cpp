// kerncast microbench: what the microbenchmarks find on a described GPU is what its file says.
#include "answers.h"

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

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
  for (const Json& gpu : found("--gpu rtx2070 --gpu p100 --gpu a100-sxm4-40gb --set l2.mib=1"))
    for (const Json& finding : gpu.at("findings"))
      EXPECT_TRUE(finding.at("agrees").get<bool>()) << gpu.at("gpu") << " " << finding;
}

TEST(Microbenchmarks, FindWhatIsChanged) {
  const Json gpu = found("--gpu rtx2070 --set l2.mib=0.5 --set l2.latency=300 --set units.fp32.latency=7 "
                         "--set units.sfu.issue_interval=16 --set dram.bandwidth_gbps=300 "
                         "--set l2.write_bytes_per_clock=500 --set l2.read_request_fraction=0.25")
                       .at(0);
  EXPECT_EQ(value(gpu, "size", "l2"), 512);
  EXPECT_NEAR(value(gpu, "latency", "l2"), 300, 6);
  EXPECT_NEAR(value(gpu, "latency", "fma.rn.f32"), 7, 0.1);
  EXPECT_NEAR(value(gpu, "issue interval of an SM", "ex2.approx.ftz.f32"), 4, 0.1);
  EXPECT_NEAR(value(gpu, "bandwidth", "dram, copy"), 0.875 * 300, 8);
  EXPECT_NEAR(value(gpu, "bandwidth", "l2, writes"), 500, 15);
  EXPECT_NEAR(value(gpu, "bandwidth", "l2, copy"), 2 * 500 / 1.25, 24);
}

// What the memory model makes of keys that no shipped description states.
TEST(Microbenchmarks, FindWhatConstantsAndTheClockOfL2Are) {
  const Json gpu = found("--gpu rtx2070 --set l2.mib=0.5 --set constant.kib=5 --set constant.latency=33 "
                         "--set texture.latency=222 --set l2.clock_mhz=810")
                       .at(0);
  EXPECT_EQ(value(gpu, "size", "constant"), 5);
  EXPECT_NEAR(value(gpu, "latency", "constant"), 33, 0.7);
  EXPECT_NEAR(value(gpu, "latency", "texture"), 222, 4);
  for (const Json& finding : gpu.at("findings"))
    EXPECT_TRUE(finding.at("agrees").get<bool>()) << finding;
}

double published(const Json& gpu, const std::string& table, const std::string& row,
                 const std::string& column) {
  for (const Json& one : gpu.at("tables"))
    for (const Json& line : one.at("rows"))
      if (one.at("table").get<std::string>().starts_with(table) && line.at("row") == row)
        return line.at("cells").at(column).at("published").at(0).get<double>();
  ADD_FAILURE() << table << " has no " << row;
  return 0;
}

TEST(Microbenchmarks, PrintThePapersTablesBesideTheirNumbers) {
  const Json gpu = found("--gpu k620 --papers --set l2.mib=0.25").at(0);
  EXPECT_EQ(published(gpu, "003 Table 5", "mul.f64", "latency"), 42);
  EXPECT_EQ(published(gpu, "003 Table 4", "instruction mix", "issue limit"), 4);
  EXPECT_EQ(published(gpu, "004 Table III", "SF", "1e9 operations/s"), 27);
  EXPECT_EQ(published(gpu, "004 Table III: memories", "constant 4B", "cache size, KiB"), 8);
}

} // namespace
} // namespace kerncast::test
