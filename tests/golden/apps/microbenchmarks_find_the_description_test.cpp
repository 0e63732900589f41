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

Json finding(const Json& gpu, const std::string& family, const std::string& name) {
  for (const Json& finding : gpu.at("findings"))
    if (finding.at("family") == family && finding.at("name") == name)
      return finding;
  ADD_FAILURE() << family << " of " << name << " was not looked for";
  return {{"found", 0}, {"described", 0}, {"agrees", false}, {"cannot_be_told", ""}};
}

double value(const Json& gpu, const std::string& family, const std::string& name) {
  const Json found = finding(gpu, family, name).at("found");
  EXPECT_TRUE(found.is_number()) << family << " of " << name << " cannot be told";
  return found.is_number() ? found.get<double>() : 0;
}

void expect_agreement(const Json& gpu, const std::string& family) {
  for (const Json& one : gpu.at("findings")) {
    if (one.at("family") == family) {
      EXPECT_EQ(one.at("agrees"), true) << one;
    }
  }
}

// An L2 of 1 MiB keeps the walks short.
TEST(Microbenchmarks, FindWhatTheFilesSay) {
  for (const Json& gpu : found("--gpu rtx2070 --gpu p100 --gpu a100-sxm4-40gb --set l2.mib=1"))
    for (const Json& finding : gpu.at("findings"))
      EXPECT_EQ(finding.at("agrees"), true) << gpu.at("gpu") << " " << finding;
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
    EXPECT_EQ(finding.at("agrees"), true) << finding;
}

// Walks end, and do not take for a size where nothing is slower.
TEST(Microbenchmarks, SayWhichSizesCannotBeTold) {
  const Json gpu = found("--gpu unit --set l1.latency=300 --set l2.latency=300 --set dram.latency=300").at(0);
  for (const char* cache : {"l1", "l2"}) {
    const Json size = finding(gpu, "size", cache);
    EXPECT_TRUE(size.at("found").is_null()) << size;
    EXPECT_TRUE(size.at("agrees").is_null()) << size;
    EXPECT_EQ(size.at("cannot_be_told"), "a hit costs what a miss does");
  }
  EXPECT_NEAR(value(gpu, "latency", "l2"), 300, 6);
  const std::string text = kerncast("microbench --gpu unit").out;
  EXPECT_NE(text.find("2 cannot be told"), std::string::npos) << text;
}

TEST(Microbenchmarks, TellLevelsApartThatDifferByThreePercent) {
  const Json gpu = found("--gpu rtx2070 --set l2.mib=0.5 --set l1.latency=200 --set l2.latency=206 "
                         "--set dram.latency=213")
                       .at(0);
  expect_agreement(gpu, "size");
}

// 4 or 16 lines of a set: other sets are full before the cache is, so that loads miss from a third of its
// size on.
TEST(Microbenchmarks, FindTheSizeOfCachesInSets) {
  const Json gpu = found("--gpu titan-x --set l1.ways=4 --set l2.ways=16 --set l2.mib=0.75").at(0);
  expect_agreement(gpu, "latency");
  EXPECT_NEAR(value(gpu, "size", "l2"), 768, 7.7);
  EXPECT_EQ(finding(gpu, "size", "constant").at("cannot_be_told"), "sets are full before the cache is");
  const Json few = found("--gpu p100 --set l1.ways=3 --set l1.kib=12 --set limits.shared_carve_outs_kib= "
                         "--set l2.ways=8 --set l2.mib=1")
                       .at(0);
  EXPECT_NEAR(value(few, "size", "l1"), 12, 0.09 * 12);
  expect_agreement(few, "latency");
}

// The first pass through what L2 will hold comes from DRAM, however slow that is. One load of DRAM after the
// other is a third of what it sustains, and takes 1557 cycles. Cells that were written before are written
// back meanwhile; how long the A100's DRAM would have loads wait for that says nothing of this one.
TEST(Microbenchmarks, FindL2WithoutDram) {
  const Json gpu = found("--gpu a100-sxm4-40gb --set sms=2 --set l2.mib=1 --set dram.bandwidth_gbps=0.1 "
                         "--set dram.bus_width_bits= --set dram.clock_mhz= --set dram.latency=1500 "
                         "--set dram.write_wait=0")
                       .at(0);
  expect_agreement(gpu, "latency");
  expect_agreement(gpu, "bandwidth");
}

// The link to one SM is slower than DRAM.
TEST(Microbenchmarks, FindStreamsBoundByTheLinksToTheSms) {
  const Json gpu = found("--gpu titan-x --set sms=1 --set l2.mib=0.5").at(0);
  EXPECT_NEAR(finding(gpu, "bandwidth", "dram, init").at("described").get<double>(), 32, 0.1);
  expect_agreement(gpu, "bandwidth");
}

// What is written stays in L2 until it is full: a quarter of this GPU's 40 MiB, which take a minute.
TEST(Microbenchmarks, FindDramBehindALargeL2) {
  const Json gpu = found("--gpu a100-sxm4-40gb --set l2.mib=10").at(0);
  for (const Json& one : gpu.at("findings"))
    EXPECT_EQ(one.at("agrees"), true) << one;
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
