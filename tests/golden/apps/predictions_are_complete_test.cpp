// kerncast predict: every kind of input, every model, and what the numbers must satisfy.
#include "answers.h"

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

const std::string scale_launch = " --gpu unit --grid 400 --block 256 --regs 16 --arg buf:409600=iota "
                                 "--arg buf:409600 --arg f32:2 --arg i32:102400 --l1-hit 0.25 --l2-hit 0.5";

TEST(Predict, AnApplicationOnTwoGpus) {
  const Json both = predicted(data("scale.json") + " --gpu titan-x --gpu k40m");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].at("gpu"), "titan-x");
  EXPECT_EQ(both[1].at("gpu"), "k40m");
  for (const Json& one : both) {
    EXPECT_EQ(one.at("app"), "scale");
    EXPECT_EQ(one.at("model"), "pipeline");
    ASSERT_EQ(one.at("kernels").size(), 1U);
    EXPECT_EQ(one.at("kernels")[0].at("launches"), 4);
    EXPECT_EQ(one.at("kernels")[0].at("hit_source"), "oracle");
    EXPECT_GE(one.at("total_time_us"), one.at("gpu_busy_us"));
  }
}

TEST(Predict, TheSameLaunchFromAFileAndFromOptions) {
  // scale.json launches 400 CTAs three times and 100 CTAs once; the means weigh them so.
  const double large = predicted(data("scale.ptx") + scale_launch)[0].at("kernels")[0].at("cycles");
  std::string small_launch = scale_launch;
  small_launch.replace(small_launch.find("400 "), 4, "100 ");
  small_launch.replace(small_launch.find("i32:102400"), 10, "i32:25600");
  const double small = predicted(data("scale.ptx") + small_launch)[0].at("kernels")[0].at("cycles");
  const Json of_file = predicted(data("scale.json") + " --gpu unit")[0].at("kernels")[0];
  EXPECT_DOUBLE_EQ(of_file.at("cycles"), (3 * large + small) / 4);
  // The tail CTA is guarded by n, so every warp executes the same instructions: 400 and 100 CTAs of 8 warps.
  const double per_warp =
      predicted(data("scale.ptx") + scale_launch)[0].at("kernels")[0].at("warp_instructions").get<double>() /
      3200;
  EXPECT_DOUBLE_EQ(of_file.at("warp_instructions"), per_warp * (3 * 3200 + 800) / 4);
}

// Both buffers stay in L2, where the launches behind the first find what they load: its bytes, over all four.
TEST(Predict, RepeatedLaunchesFindWhatTheOneBeforeLeft) {
  const std::string cold = data("scale.ptx") + " --gpu titan-x --grid 400 --block 256 --arg buf:409600 "
                                               "--arg buf:409600 --arg f32:2 --arg i32:102400";
  const Json one = predicted(cold)[0].at("kernels")[0],
             four = predicted(cold + " --repeat 4")[0].at("kernels")[0];
  EXPECT_EQ(one.at("dram_bytes"), 409600);
  EXPECT_EQ(four.at("launches"), 4);
  EXPECT_NEAR(four.at("dram_bytes").get<double>(), 102400, 1e-6);
  EXPECT_LT(four.at("cycles"), one.at("cycles"));
}

TEST(Predict, CopiesOfPageableMemoryAreAnAssumptionOfTheApplication) {
  EXPECT_FALSE(predicted(data("scale.json") + " --gpu unit")[0].contains("assumptions"));
  const Json assumptions = predicted(data("streams.json") + " --gpu unit")[0].at("assumptions");
  ASSERT_EQ(assumptions.size(), 1U);
  const auto text = assumptions[0].get<std::string>();
  EXPECT_EQ(text.find("copies from and to pageable memory"), 0U) << text;
  for (const std::string model : {"pipeline", "all"})
    EXPECT_NE(kerncast("predict " + data("streams.json") + " --gpu unit --model " + model).out.find(text),
              std::string::npos)
        << model;
  const Ended strict = kerncast("predict " + data("streams.json") + " --gpu unit --strict");
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_NE(strict.err.find("error: --strict: streams on unit assumes: " + text), std::string::npos);
}

TEST(Predict, SettingsChangeTheGpu) {
  const Json fast = predicted(data("scale.json") + " --gpu unit --set clock_mhz=2000")[0];
  const Json slow = predicted(data("scale.json") + " --gpu unit --set clock_mhz=1000")[0];
  EXPECT_EQ(fast.at("gpu_resolved").at("clock_mhz"), 2000);
  EXPECT_LT(fast.at("kernels")[0].at("time_us"), slow.at("kernels")[0].at("time_us"));
}

TEST(Predict, EveryModelAnswers) {
  for (const char* model : {"pipeline", "ppt-gpu-2019", "roofline", "volkov-contention", "gpumech-gto"}) {
    const Json one = predicted(data("scale.json") + " --gpu titan-x --model " + model)[0];
    EXPECT_EQ(one.at("model"), model);
    EXPECT_GT(one.at("kernels")[0].at("cycles").get<double>(), 0) << model;
  }
}

TEST(Predict, AllModelsInOneCallAsOneByOne) {
  const std::string arguments = data("scale.json") + " --gpu titan-x --gpu unit --model ";
  const Json all = predicted(arguments + "all");
  ASSERT_EQ(all.size(), 2U * 22); // the simulator and 21 closed forms
  EXPECT_EQ(all[0].at("model"), "pipeline");
  EXPECT_EQ(all[21].at("gpu"), "titan-x");
  EXPECT_EQ(all[22].at("gpu"), "unit");
  EXPECT_EQ(all[22].at("model"), "pipeline");
  for (const std::size_t m : {0U, 3U, 21U}) {
    const Json alone = predicted(arguments + all[m].at("model").get<std::string>());
    EXPECT_EQ(alone[0], all[m]);
    EXPECT_EQ(alone[1], all[22 + m]);
  }
}

TEST(Predict, AllModelsAreOneTable) {
  const std::string table = kerncast("predict " + data("scale.json") + " --gpu titan-x --model all").out;
  for (const char* model : {"pipeline", "zhang-owens", "wfg-corrected"})
    EXPECT_NE(table.find(std::string("\nscale   ") + model + " "), std::string::npos) << model << "\n"
                                                                                      << table;
}

TEST(Predict, ContentionThatTheGpuDoesNotStateIsNamed) {
  const auto assumptions = [](const std::string& gpu) {
    return predicted(data("scale.json") + " --model volkov-contention --gpu " + gpu)[0]
        .at("kernels")[0]
        .at("assumptions")
        .dump();
  };
  EXPECT_NE(assumptions("a100-sxm4-40gb").find("dram.loaded_latency"), std::string::npos);
  EXPECT_EQ(assumptions("gtx980").find("dram.loaded_latency"), std::string::npos);
}

TEST(Predict, UnknownModelsNameTheNearest) {
  const auto error = [](const std::string& model) {
    const Ended ended = kerncast("predict " + data("scale.json") + " --gpu unit --model " + model);
    EXPECT_EQ(ended.exit_code, 2);
    return ended.err;
  };
  EXPECT_NE(error("volkv").find("did you mean 'volkov'?"), std::string::npos);
  EXPECT_NE(error("mwp-cwp-correct").find("did you mean 'mwp-cwp-corrected'?"), std::string::npos);
  EXPECT_NE(error("a").find("models: pipeline, ppt-gpu-2019, roofline"), std::string::npos);
}

// CTAs of 8 warps: the simulator has 8, 16, ... warps, the closed forms 1 to 64.
TEST(Predict, OccupancyCurvesOfAllModels) {
  const Json kernel =
      predicted(data("scale.ptx") + scale_launch + " --occupancy-curve --exact")[0].at("kernels")[0];
  const Json& curves = kernel.at("occupancy_curve").at("models");
  ASSERT_EQ(curves.size(), 22U);
  const Json& simulated = curves[0].at("points");
  EXPECT_EQ(simulated.size(), kernel.at("occupancy").at("ctas_per_sm"));
  EXPECT_EQ(simulated[0].at("warps"), 8);
  const Json& volkov = curves[3];
  EXPECT_EQ(volkov.at("model"), "volkov");
  EXPECT_EQ(volkov.at("points").size(), kernel.at("occupancy_curve").at("max_warps_per_sm"));
  double before = 0;
  for (const Json& point : volkov.at("points")) {
    EXPECT_GE(point.at("warps_per_cycle").get<double>(), before);
    before = point.at("warps_per_cycle");
  }
  EXPECT_EQ(volkov.at("peak_warps_per_cycle"), before);
  EXPECT_GE(volkov.at("ridge_warps"), volkov.at("warps_for_90_percent"));
  for (const Json& point : simulated)
    EXPECT_LE(point.at("warps_per_cycle").get<double>(),
              volkov.at("points")[point.at("warps").get<std::size_t>() - 1].at("warps_per_cycle"));
}

TEST(Predict, TheCurveGoesThroughThePrediction) {
  const Json with = predicted(data("scale.json") + " --gpu titan-x --occupancy-curve")[0].at("kernels")[0];
  Json without = predicted(data("scale.json") + " --gpu titan-x")[0].at("kernels")[0];
  without["occupancy_curve"] = with.at("occupancy_curve");
  EXPECT_EQ(with, without);
}

TEST(Predict, ClosedFormsAreUpperBoundsOfTheRate) {
  // roofline and volkov hide all latency, so that no simulated kernel may be faster.
  const std::string arguments = data("scale.ptx") + scale_launch + " --exact";
  const double simulated = predicted(arguments)[0].at("kernels")[0].at("cycles");
  for (const char* model : {"roofline", "volkov"})
    EXPECT_LE(predicted(arguments + " --model " + model)[0].at("kernels")[0].at("cycles"), simulated)
        << model;
}

TEST(Predict, ALanlFileNeedsNoGpuAndGivesThePublishedCycles) {
  // tests/data/ppt_lanl/nn_Titanx.json, "predicted": 1394 cycles, 942 issue events, 7 CTAs per SM
  const Json one = predicted(KERNCAST_SOURCE_DIR "/tests/data/ppt_lanl/nn_Titanx.json")[0];
  EXPECT_EQ(one.at("model"), "ppt-gpu-2019");
  const Json& kernel = one.at("kernels")[0];
  EXPECT_EQ(kernel.at("cycles"), 1394);
  EXPECT_EQ(kernel.at("occupancy").at("ctas_per_sm"), 7);
  EXPECT_EQ(kernel.at("ppt_gpu_2019").at("warp_issue_events"), 942);
}

// The loop has several copies of its body in the machine program, of which the tool knows nothing: 1,000
// trips of 4 tasks, and of the 6 around them those that have a unit there.
TEST(Predict, TheToolOfThePaperWalksTheTasklistWhateverIsUnrolled) {
  const Folder folder;
  const std::string file = folder.write("loop.ptx", R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry loop(.param .u32 n, .param .u64 out) {
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %d<2>;
  ld.param.u32 %r1, [n];
  ld.param.u64 %d1, [out];
  mov.u32 %r2, 0;
  mov.u32 %r3, 1;
again:
  mad.lo.s32 %r3, %r3, %r3, %r2;
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p1, %r2, %r1;
  @%p1 bra again;
  st.global.u32 [%d1], %r3;
  ret;
}
)");
  const std::string launch = file + " --gpu a100-sxm4-40gb --grid 1 --block 32 --arg i32:1000 --arg buf:4"
                                    " --regs 16 --model ppt-gpu-2019";
  const Json kernel = predicted(launch)[0].at("kernels")[0];
  EXPECT_GE(kernel.at("warp_instructions"), 4 * 1000);
  EXPECT_LE(kernel.at("warp_instructions"), 4 * 1000 + 6);
  EXPECT_EQ(kernel.at("cycles"), predicted(launch + " --without unrolling")[0].at("kernels")[0].at("cycles"));
}

TEST(Predict, ATasklistOfThePapersForm) {
  const Folder folder;
  const std::string file = folder.write("chain.txt", "[iALU, 5]\n[iALU, 5, 1]\n[iALU, 5, 2]\n");
  // One warp of three dependent instructions of 5 cycles: at least 2 * 5 + 1
  const Json kernel = predicted(file + " --gpu unit --grid 1 --block 32 --regs 8")[0].at("kernels")[0];
  EXPECT_GE(kernel.at("cycles").get<double>(), 11);
  EXPECT_EQ(kernel.at("kernel"), "chain");
}

TEST(Predict, ATasklistOfOurTextForm) {
  const Folder folder;
  const std::string file = folder.write("t", kerncast("tasklist " + data("scale.ptx")).out);
  const Json kernel = predicted(file + " --gpu unit --grid 4 --block 48 --regs 8")[0].at("kernels")[0];
  EXPECT_EQ(kernel.at("kernel"), "scale");
  EXPECT_EQ(kernel.at("occupancy").at("warps_per_sm").get<int>() % 2, 0); // CTAs of two warps
}

TEST(Predict, HitRatesThatWereNotGivenAreNamed) {
  const Folder folder;
  const std::string file = folder.write("t", kerncast("tasklist " + data("scale.ptx")).out);
  const Json kernel = predicted(file + " --gpu unit --grid 4 --block 32 --l1-hit 0.5")[0].at("kernels")[0];
  const std::string assumptions = kernel.at("assumptions").dump();
  EXPECT_NE(assumptions.find("hit rate of L2 not given: 0"), std::string::npos) << assumptions;
  EXPECT_NE(assumptions.find("registers: "), std::string::npos) << assumptions;
}

// 64 CTAs stream through 4 arguments of their own: nothing hits. A given rate stays as it is.
TEST(Predict, HitRatesArePredictedFromAddresses) {
  const std::string of_scale = data("scale.ptx") +
                               " --gpu unit --grid 64 --block 32 --arg buf:65536 --arg buf:65536 "
                               "--arg f32:2 --arg i32:2048";
  const Json of_both = predicted(of_scale)[0].at("kernels")[0];
  EXPECT_EQ(of_both.at("hit_source"), "predicted");
  EXPECT_EQ(of_both.at("l1_hit"), 0);
  const Json partly = predicted(of_scale + " --l1-hit 0.25")[0].at("kernels")[0];
  EXPECT_EQ(partly.at("hit_source"), "oracle and predicted");
  EXPECT_EQ(partly.at("l1_hit"), 0.25);
  EXPECT_EQ(partly.at("l2_hit"), of_both.at("l2_hit"));
  const Json given = predicted(of_scale + " --l1-hit 0.25 --l2-hit 0.5")[0].at("kernels")[0];
  EXPECT_EQ(given.at("hit_source"), "oracle");
  EXPECT_EQ(given.at("l2_hit"), 0.5);
}

// 131,072 bytes are read and as many written, through an L2 that keeps some of the last ones. Loads that all
// hit read nothing from DRAM; what is written back is the same at any rate of the loads, of either cache.
TEST(Predict, AGivenRateIsThatOfReads) {
  const std::string of_scale = data("scale.ptx") +
                               " --gpu unit --set l2.mib=0.015625 --grid 1024 --block 32 --arg buf:131072 "
                               "--arg buf:131072 --arg f32:2 --arg i32:32768";
  const auto dram_bytes = [&](const std::string& options) {
    return predicted(of_scale + options)[0].at("kernels")[0].at("dram_bytes").get<double>();
  };
  constexpr double read = 131072;
  const double all = dram_bytes(" --l2-hit 0");
  EXPECT_EQ(all, dram_bytes(""));
  EXPECT_GT(all, 1.9 * read);
  EXPECT_EQ(dram_bytes(" --l2-hit 1"), all - read);
  EXPECT_NEAR(dram_bytes(" --l2-hit 0.5"), all - read / 2, 0.01 * read);
  EXPECT_NEAR(dram_bytes(" --l1-hit 0.5"), all - read / 2, 0.01 * read);
}

// Loads that pass L1 by do not hit there, whatever rate the others are given.
TEST(Predict, AGivenRateOfL1IsThatOfLoadsThatAskIt) {
  const Folder folder;
  const std::string file = folder.write("copy.ptx", R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to) {
  .reg .b32 %r<5>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 32, %r2;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd1, %rd1, %rd3;
  add.u64 %rd2, %rd2, %rd3;
  ld.global.cg.u32 %r4, [%rd1];
  st.global.u32 [%rd2], %r4;
  ret;
}
)");
  const auto l2_bytes = [&](const std::string& options) {
    return predicted(file + " --gpu a100-sxm4-40gb --grid 64 --block 32 --arg buf:8192 --arg buf:8192" +
                     options)[0]
        .at("kernels")[0]
        .at("l2_bytes")
        .get<double>();
  };
  EXPECT_EQ(l2_bytes(""), 2 * 8192);
  EXPECT_EQ(l2_bytes(" --l1-hit 0.5"), 2 * 8192);
  EXPECT_EQ(l2_bytes(" --l1-hit 0.5 --l2-hit 0.5"), 2 * 8192);
}

TEST(Predict, AnyNumberOfThreadsWritesTheSameBytes) {
  const std::string arguments =
      "predict " + data("scale.json") + " --gpu titan-x --gpu unit --json - --threads ";
  const std::string one = kerncast(arguments + "1").out;
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(kerncast(arguments + "2").out, one);
  EXPECT_EQ(kerncast(arguments + "7").out, one);
}

TEST(Predict, AnyNumberOfRanksWritesTheSameBytes) {
  const std::string arguments =
      "predict " + data("scale.json") + " --gpu titan-x --gpu unit --json - --threads 1";
  const std::string alone = kerncast(arguments).out;
  for (const int ranks : {2, 4}) {
    const Ended ended = kerncast(arguments, on_ranks(ranks));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, alone) << ranks;
  }
}

TEST(Predict, TheTableHasSharesTotalsAndAssumptions) {
  const std::string table = kerncast("predict " + data("scale.json") + " --gpu titan-x").out;
  for (const char* part : {"scale on titan-x (NVIDIA GeForce GTX TITAN X), model pipeline\n", "share",
                           "\n100.0 %", "\ntotal ", "\nassumptions\n"})
    EXPECT_NE(table.find(part), std::string::npos) << part << "\n" << table;
}

} // namespace
} // namespace kerncast::test
