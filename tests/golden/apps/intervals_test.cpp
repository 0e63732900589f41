// Claims: the interval of a prediction follows from predictions of the changed GPU; it is as wide as what the
// description, the launch and the data leave open; and divisions can take their slow path.
#include "answers.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

constexpr double deviations = 1.645; // of 90 %

const std::string scale = data("scale.ptx") + " --gpu titan-x --grid 4000 --block 256 --arg buf:4096000"
                                              " --arg buf:4096000 --arg f32:2 --arg i32:1024000";
const std::string gaussian = KERNCAST_SOURCE_DIR "/apps/workloads/rodinia/gaussian/app.json";

Json kernel_of(const std::string& arguments) { return first_predicted(arguments).at("kernels").at(0); }

double slower(const Json& kernel, const std::string& source) {
  for (const Json& one : kernel.at("interval").at("sources"))
    if (one.at("source") == source)
      return one.at("slower");
  return 0;
}

TEST(Intervals, HoldThePredictionAndCanBeLeftOut) {
  const Json app = first_predicted(scale);
  const Json& kernel = app.at("kernels").at(0);
  EXPECT_LT(kernel.at("interval").at("low_us"), kernel.at("time_us"));
  EXPECT_GT(kernel.at("interval").at("high_us"), kernel.at("time_us"));
  EXPECT_LT(app.at("total_interval").at("low_us"), app.at("total_time_us"));
  EXPECT_GT(app.at("total_interval").at("high_us"), app.at("total_time_us"));
  Json without = first_predicted(scale + " --no-interval");
  Json with = app;
  with.erase("total_interval");
  with.at("kernels").at(0).erase("interval");
  EXPECT_EQ(with, without);
}

// The sustained bandwidth is measured: an error of 6 %, which no time exceeds. --set is exact.
TEST(Intervals, AreWhatThePredictionOfTheChangedGpuTakes) {
  const std::string hits = scale + " --l1-hit 0 --l2-hit 0 --regs 16 --exact";
  const Json kernel = kernel_of(hits);
  const double cycles = kernel.at("cycles");
  const double changed =
      kernel_of(hits + " --set dram.sustained_fraction=" + std::to_string(0.89 / 1.06)).at("cycles");
  ASSERT_GT(changed, 1.03 * cycles) << "not bound by DRAM";
  EXPECT_NEAR(slower(kernel, "bandwidth of DRAM"), deviations * std::min(0.06, changed / cycles - 1), 1e-4);
  EXPECT_EQ(slower(kernel_of(hits + " --set dram.sustained_fraction=0.89"), "bandwidth of DRAM"), 0);
}

// As independent errors the sources add in squares.
TEST(Intervals, AddTheirSources) {
  const Json kernel = kernel_of(scale);
  const Json& interval = kernel.at("interval");
  double squares = 0;
  for (const Json& one : interval.at("sources"))
    squares += std::pow(one.at("slower").get<double>(), 2);
  EXPECT_GT(interval.at("sources").size(), 1U);
  EXPECT_NEAR(interval.at("high_us").get<double>() / kernel.at("time_us").get<double>() - 1,
              std::sqrt(squares), 1e-9);
}

// With a fifth more registers than are estimated fewer CTAs fit on an SM.
TEST(Intervals, KnowThatRegistersAreEstimated) {
  const std::string sgemm = KERNCAST_SOURCE_DIR
      "/apps/workloads/parboil/sgemm/sgemm.ptx --kernel mysgemmNT --grid 8,66 --block 16,8 --arg buf:4063232"
      " --arg i32:1024 --arg buf:4190208 --arg i32:1056 --arg buf:4325376 --arg i32:1024 --arg i32:992"
      " --arg f32:1 --arg f32:0 --gpu titan-x";
  const auto counts = [](const Json& kernel) {
    return std::ranges::any_of(kernel.at("interval").at("sources"),
                               [](const Json& one) { return one.at("source") == "registers"; });
  };
  EXPECT_TRUE(counts(kernel_of(sgemm)));
  EXPECT_FALSE(counts(kernel_of(sgemm + " --regs 63")));
}

// 2,046 launches, of which eight of each kernel are varied: all have intervals, the same at any number of
// threads.
TEST(Intervals, OfManyLaunchesAreThoseOfTheNearest) {
  const Json app = first_predicted(gaussian + " --gpu h100-sxm --threads 1");
  for (const Json& kernel : app.at("kernels")) {
    const double own = slower(kernel, "model");
    EXPECT_GT(kernel.at("interval").at("sources").size(), 2U);
    EXPECT_GT(kernel.at("interval").at("high_us").get<double>() / kernel.at("time_us").get<double>() - 1,
              1.01 * own);
  }
  EXPECT_EQ(app, first_predicted(gaussian + " --gpu h100-sxm --threads 2"));
}

// 32 CTAs an SM, of which two waves and an eighth are simulated again: about as wide as with all of them.
TEST(Intervals, OfTheStartStandForTheWholeLaunch) {
  const std::string launch = data("scale.ptx") + " --gpu titan-x --grid 3072 --block 256 --arg buf:3145728"
                                                 " --arg buf:3145728 --arg f32:2 --arg i32:786432 --regs 16";
  const auto high = [](const Json& kernel) {
    return kernel.at("interval").at("high_us").get<double>() / kernel.at("time_us").get<double>();
  };
  EXPECT_NEAR(high(kernel_of(launch)), high(kernel_of(launch + " --exact")), 0.05);
}

// A hundred million launches; without launches nothing is uncertain.
TEST(Intervals, OfApplicationsFollowTheirLaunches) {
  const Folder folder;
  const auto app = [&](const std::string& events) {
    return folder.write("app.json",
                        R"({"format": "kerncast-app/1", "name": "a", "modules": [")" + data("scale.ptx") +
                            R"("], "buffers": {"x": {"bytes": 4096}}, "events": [)" + events + "]}");
  };
  EXPECT_FALSE(first_predicted(app(R"({"op": "memcpy", "kind": "h2d", "bytes": 4096})") + " --gpu titan-x")
                   .contains("total_interval"));
  const auto launches = [&](const std::string& count) {
    return first_predicted(
        app(R"({"op": "kernel", "kernel": "scale", "grid": [4], "block": [256], "registers": 16,
      "args": [{"buffer": "x"}, {"buffer": "x"}, {"f32": 2}, {"i32": 1024}], "repeat": )" +
            count + "}") +
        " --gpu titan-x");
  };
  const Json few = launches("50000"), many = launches("5000000");
  const auto high = [](const Json& one) {
    return one.at("total_interval").at("high_us").get<double>() / one.at("total_time_us").get<double>();
  };
  EXPECT_NEAR(high(few), high(many), 1e-3);
}

class Divisions : public testing::Test {
protected:
  Folder folder_;
  // Every thread divides once.
  const std::string file_ = folder_.write("divide.ptx", R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry divide(.param .u64 data) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r1, %r1, %r2, %r3;
  mul.wide.s32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  div.rn.f32 %f2, %f1, %f1;
  st.global.f32 [%rd3], %f2;
  ret;
}
)");
  std::string launch(const std::string& divisions) const {
    return file_ +
           " --gpu a100-sxm4-40gb --grid 864 --block 256 --arg buf:884736 --regs 16 --l1-hit 1 --l2-hit 1" +
           divisions;
  }
};

// 0/0 takes 25 instructions more (docs/lowering.md).
TEST_F(Divisions, TakeTheirSlowPathIfToldSo) {
  const Json fast = kernel_of(launch("")), slow = kernel_of(launch(" --divisions slow"));
  const double warps = 864 * 8;
  EXPECT_EQ(slow.at("warp_instructions").get<double>() - fast.at("warp_instructions").get<double>(),
            25 * warps);
  EXPECT_EQ(fast, kernel_of(launch(" --divisions fast")));
}

TEST_F(Divisions, SayWhatTheyRestOn) {
  const auto notes = [&](const std::string& gpu) {
    return kernel_of(file_ + " --gpu " + gpu +
                     " --grid 8 --block 256 --arg buf:884736 --regs 16 --divisions slow")
        .at("assumptions")
        .dump();
  };
  EXPECT_NE(notes("a100-sxm4-40gb").find("as many operations as 0/0"), std::string::npos);
  EXPECT_NE(
      notes("titan-x").find("changes nothing, no operation of the kernel has a slow path in maxwell.toml"),
      std::string::npos);
}

// The interval of divisions that are taken to be fast reaches up to where all are slow.
TEST_F(Divisions, OfUnknownNumbersAreUncertain) {
  const Json fast = kernel_of(launch("")), slow = kernel_of(launch(" --divisions slow"));
  const double ratio = slow.at("cycles").get<double>() / fast.at("cycles").get<double>();
  ASSERT_GT(ratio, 1.02);
  EXPECT_NEAR(slower(fast, "slow paths of divisions"), ratio - 1, 1e-9);
  EXPECT_EQ(slower(slow, "slow paths of divisions"), 0);
}

} // namespace
} // namespace kerncast::test
