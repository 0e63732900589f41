// What every command answers to a plain question.
#include "answers.h"

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

Json json_of(const std::string& arguments) {
  const Ended ended = kerncast(arguments + " --json -");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  return Json::parse(ended.out, nullptr, false);
}

TEST(Check, SaysWhatIsInEveryKindOfFile) {
  const Folder folder;
  const std::string text = folder.write("t.tasklist", "kerncast-tasklist/1\nkernel k\nblock\n  exit\n");
  const std::string paper = folder.write("t.txt", "[iALU, 6]\n[iALU, 13, 1]\n");
  const std::string lanl = KERNCAST_SOURCE_DIR "/tests/data/ppt_lanl/nn_Titanx.json";
  const std::string gpu = KERNCAST_SOURCE_DIR "/configs/gpus/unit.toml";
  const Ended ended = kerncast("check " + data("scale.ptx") + " " + data("scale.json") + " " + text + " " +
                               paper + " " + lanl + " " + gpu);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.out,
            data("scale.ptx") + ": PTX 8.0 for sm_75: 1 kernel (scale)\n" + data("scale.json") +
                ": application scale: 1 module, 2 buffers, 6 events, 4 launches (2 distinct) of 1 kernel\n" +
                text + ": tasklist in our text form: 1 task, 1 block\n" + paper +
                ": tasklist in the papers' form: 2 tasks, 1 block\n" + lanl +
                ": ppt_lanl file nn: 26 items, 168 CTAs of 256 on TitianX\n" + gpu +
                ": GPU unit, unit GPU: compute capability 9.0, 1 SMs at 1000 MHz\n");
}

TEST(Gpus, AreListedByName) {
  const Json gpus = json_of("gpus list");
  std::vector<std::string> names;
  for (const Json& gpu : gpus)
    names.push_back(gpu.at("name"));
  for (const char* name : {"a100-sxm4-40gb", "h100-sxm", "k40m", "titan-x", "unit"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(kerncast("gpus").out, kerncast("gpus list").out);
}

TEST(Gpus, ShowResolvesSettings) {
  const Json shown = json_of("gpus show titan-x --set clock_mhz=1560");
  EXPECT_EQ(shown.at("gpu_resolved").at("clock_mhz"), 1560);
  EXPECT_EQ(shown.at("gpu_resolved").at("sms"), 24);
}

TEST(Gpus, CheckAcceptsTheDatabase) {
  const Ended ended = kerncast("gpus check " KERNCAST_SOURCE_DIR "/configs/gpus/titan-x.toml");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find("compute capability 5.2, 24 SMs at 1000 MHz"), std::string::npos) << ended.out;
}

// What a prediction with it would assume; of guesses that stand at a value, how many there are.
TEST(Gpus, CheckSaysWhatIsAssumed) {
  const Folder folder;
  const std::string file = folder.write("g.toml", "inherits = \"unit\" # guess: nobody measured it\n"
                                                  "sms = 2 # specified: data sheet\n"
                                                  "l1.latency = 1 # guess: as before\n");
  const Ended ended = kerncast("gpus check " + file);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(
      ended.out.find("\nassumption: g: all that is inherited from unit is a guess: nobody measured it\n"),
      std::string::npos)
      << ended.out;
  EXPECT_EQ(ended.out.find("l1.latency"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("\nguesses: "), std::string::npos) << ended.out;
}

TEST(Occupancy, OfTheNearestNeighbourKernelIsLimitedByItsGrid) {
  // 168 CTAs over 24 SMs: 7 each; 7 * 8 warps of 64 (PPT-GPU, Table 4)
  const Json json = json_of("occupancy --gpu titan-x --block 256 --regs 16 --smem 0 --grid 168");
  EXPECT_EQ(json.at("ctas_per_sm"), 7);
  EXPECT_EQ(json.at("warps_per_sm"), 56);
  EXPECT_EQ(json.at("fraction"), 0.875);
  EXPECT_EQ(json.at("limiter"), "grid");
}

TEST(Occupancy, OfAPtxFileEstimatesRegistersAndSaysSo) {
  const Json json = json_of("occupancy " + data("scale.ptx") + " --kernel scale --gpu titan-x --block 256");
  // 8 CTAs of 8 warps fill the 64 warps of an SM
  EXPECT_EQ(json.at("ctas_per_sm"), 8);
  EXPECT_EQ(json.at("limiter"), "warps");
  EXPECT_EQ(json.at("assumptions").size(), 1U);
}

TEST(Tasklist, PaperFormOfTableOne) {
  const Folder folder;
  const std::string file = folder.write("add.tasklist", R"(kerncast-tasklist/1
kernel add_five
block
  ld.global.s32 %0 <- %5
  ld.global.s32 %1 <- %6
  add.s32 %2 <- %0 %1
  mul.lo.s32 %3 <- %2
  st.global.s32 <- %7 %3
  exit
)");
  // PPT-GPU, Table 1: plain, and annotated for Maxwell
  EXPECT_EQ(kerncast("tasklist " + file + " --format paper").out,
            "[GLOB_MEM_ACCESS, LOAD]\n[GLOB_MEM_ACCESS, LOAD]\n[iALU, 1, 2]\n[iALU, 3]\n"
            "[GLOB_MEM_ACCESS, STORE, 4]\n");
  EXPECT_EQ(kerncast("tasklist " + file + " --format paper --gpu titan-x").out,
            "[GLOB_MEM_ACCESS, LOAD]\n[GLOB_MEM_ACCESS, LOAD]\n[iALU, 6, 1, 2]\n[iALU, 13, 3]\n"
            "[GLOB_MEM_ACCESS, STORE, 4]\n");
}

TEST(Tasklist, TextFormIsReadAgainWithOrWithoutGpu) {
  const Folder folder;
  const Ended plain = kerncast("tasklist " + data("scale.ptx"));
  const Ended annotated = kerncast("tasklist " + data("scale.ptx") + " --gpu unit");
  EXPECT_NE(annotated.out.find("  #   "), std::string::npos);
  EXPECT_EQ(kerncast("tasklist " + folder.write("a", plain.out)).out, plain.out);
  EXPECT_EQ(kerncast("tasklist " + folder.write("b", annotated.out)).out, plain.out);
}

TEST(Tasklist, JsonHasRegistersAndMachineInstructionsOfTheGpu) {
  const Json with = json_of("tasklist " + data("scale.ptx") + " --gpu unit").at("kernels").at(0);
  EXPECT_EQ(with.at("kernel"), "scale");
  EXPECT_GT(with.at("registers_estimated").get<int>(), 0);
  std::size_t machine = 0;
  for (const Json& task : with.at("tasks"))
    machine += task.at("machine").size();
  EXPECT_EQ(with.at("machine_instructions"), machine);
  const Json without = json_of("tasklist " + data("scale.ptx")).at("kernels").at(0);
  EXPECT_TRUE(without.at("registers_estimated").is_null());
  EXPECT_EQ(without.at("tasks").size(), with.at("tasks").size());
}

} // namespace
} // namespace kerncast::test
