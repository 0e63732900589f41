// Programs, objects, fat binaries and cubins stand where PTX files do; --entry chooses among their PTX.
#include "answers.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kerncast::test {
namespace {

std::string container(const std::string& name) {
  return std::string(KERNCAST_SOURCE_DIR "/tests/data/containers/") + name;
}

const std::string module_launch =
    " --gpu unit --grid 4 --block 32 --arg buf:4096 --arg f32:2 --arg i32:128 --json -";

TEST(Check, ListsThePtxOfAProgramWithItsKernels) {
  EXPECT_EQ(answer("check " + container("program")),
            container("program") +
                ": program or library with 4 PTX modules\n"
                "  1: PTX 9.0 for sm_75, zstd: 2 kernels (_Z5scalePffi, _Z5shiftPffi)\n"
                "  2: PTX 9.0 for sm_80, zstd: 2 kernels (_Z5scalePffi, _Z5shiftPffi), taken\n"
                "  3: PTX 9.0 for sm_75, zstd: 1 kernel (_Z4fillPi)\n"
                "  4: PTX 9.0 for sm_80, zstd: 1 kernel (_Z4fillPi), taken\n");
}

// The files are read at once; what is said of them stands in the order they were given in.
TEST(Check, TellsOfManyFilesInTheirOrder) {
  const Folder folder;
  std::string files;
  const auto name = [](std::size_t i) { return std::string(1, static_cast<char>('0' + i)) + ".ptx"; };
  for (std::size_t i = 0; i < 10; ++i) {
    const char* bad = i % 3 == 0 ? "bad;" : "";
    files +=
        folder.write(name(9 - i), std::string(".version 8.0 .target sm_80\n.entry k() { ") + bad + " ret; }");
    files += ' ';
  }
  const Ended alone = kerncast("check --json - --threads 1 " + files);
  EXPECT_EQ(alone.exit_code, 1);
  const auto reports = nlohmann::json::parse(alone.out);
  ASSERT_EQ(reports.size(), 10U);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_NE(reports[i]["file"].get<std::string>().find(name(9 - i)), std::string::npos);
    EXPECT_EQ(reports[i]["accepted"], i % 3 != 0);
  }
  for (const std::string threads : {"2", "5"}) {
    const Ended side_by_side = kerncast("check --json - --threads " + threads + ' ' + files);
    EXPECT_EQ(side_by_side.out, alone.out);
    EXPECT_EQ(side_by_side.err, alone.err);
  }
}

TEST(Check, PrintsThePtxThatIsChosen) {
  const std::string text = answer("check --format ptx --entry 1 " + container("speed.fatbin"));
  EXPECT_EQ(text.substr(0, 27), ".version 9.0\n.target sm_75\n");
  const Folder folder;
  const std::string file = folder.write("k.ptx", text);
  EXPECT_EQ(answer("check --format ptx " + file), text);
}

TEST(Predict, TakesAProgramAndSaysWhichPtx) {
  const std::string text = answer("predict --kernel scale " + container("program") + module_launch);
  EXPECT_NE(text.find("PTX for sm_80 taken of sm_75, sm_80 in "), std::string::npos) << text;
  const std::string chosen =
      answer("predict --kernel scale --entry sm_75 " + container("program") + module_launch);
  EXPECT_EQ(chosen.find("taken of"), std::string::npos) << chosen;
}

TEST(Predict, FindsAKernelOfAnyTranslationUnit) {
  const std::string text = answer(
      "predict --kernel fill --gpu unit --grid 1 --block 32 --arg buf:128 --json - " + container("program"));
  EXPECT_EQ(nlohmann::json::parse(text)[0]["kernels"][0]["kernel"], "_Z4fillPi");
}

TEST(Predict, IsTheSameForEveryCompression) {
  const auto time = [](const std::string& name) {
    const std::string text =
        answer("predict --kernel scale --entry sm_75 " + container(name) + module_launch);
    return nlohmann::json::parse(text)[0]["total_time_us"].get<double>();
  };
  EXPECT_EQ(time("none.fatbin"), time("speed.fatbin"));
  EXPECT_EQ(time("none.fatbin"), time("size.fatbin"));
}

TEST(Applications, MayNameProgramsAsModules) {
  const Folder folder;
  const std::string app =
      folder.write("app.json", R"({"format": "kerncast-app/1", "name": "two", "modules": [")" +
                                   container("program") + R"("],
        "buffers": {"x": {"bytes": 4096}}, "events": [
          {"op": "kernel", "kernel": "_Z5shiftPffi", "grid": [4], "block": [32],
           "args": [{"buffer": "x"}, {"f32": 2.0}, {"i32": 128}]},
          {"op": "kernel", "kernel": "_Z4fillPi", "grid": [1], "block": [32], "args": [{"buffer": "x"}]}]})");
  const auto prediction = nlohmann::json::parse(answer("predict --gpu unit --json - " + app));
  EXPECT_EQ(prediction[0]["kernels"].size(), 2U);
}

TEST(OccupancyAndTasklist, TakeContainersToo) {
  EXPECT_NE(
      answer("occupancy --gpu unit --block 64 --kernel shift " + container("object.o")).find("CTAs per SM"),
      std::string::npos);
  EXPECT_NE(answer("tasklist --kernel shift " + container("library.so")).find("kernel _Z5shiftPffi"),
            std::string::npos);
}

struct Refused {
  std::string arguments;
  std::string message;
};

class WithoutTheirPtx : public testing::TestWithParam<Refused> {};

TEST_P(WithoutTheirPtx, AreRefusedWithANextStep) {
  const Ended ended = kerncast(GetParam().arguments);
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(ended.err.find(GetParam().message), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("note: "), std::string::npos) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    Containers, WithoutTheirPtx,
    testing::Values(
        Refused{"check " + container("plain.cubin"), "a cubin, which holds machine code and no PTX"},
        Refused{"check " + container("machine_code.fatbin"), "machine code for sm_75 only, no PTX"},
        Refused{"check --entry 9 " + container("program"), "--entry: no PTX '9' in this file"},
        Refused{"check --entry sm_75 " + data("scale.ptx"), "--entry chooses among the PTX in a program"},
        Refused{"predict --gpu unit --entry 1 " + data("scale.json"), "--entry chooses"},
        Refused{"check --format ptx " + data("scale.json"), "a file without PTX"},
        Refused{"predict --gpu unit --grid 1 --block 32 " + container("program"), "3 kernels in 2 modules"}));

} // namespace
} // namespace kerncast::test
