// With the contents of buffers given, predictions of kernels that depend on data know branches and addresses.
#include "program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kerncast::test {
namespace {

using Json = nlohmann::json;

const std::string basic = KERNCAST_SOURCE_DIR "/apps/workloads/basic/";

Json predicted(const std::string& arguments) {
  const Ended ended = kerncast("predict " + arguments + " --gpu titan-x --json -");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return Json::parse(ended.out).at(0);
}

bool assumes(const Json& prediction, const std::string& what) {
  for (const Json& kernel : prediction.at("kernels"))
    for (const Json& assumption : kernel.at("assumptions"))
      if (assumption.get<std::string>().find(what) != std::string::npos)
        return true;
  return false;
}

const std::string spmv = basic + "spmv/spmv.ptx --grid 64 --block 256 ";
const std::string spmv_rest =
    " --arg buf:1048576=random:f32:2 --arg buf:65536=random:f32:3 --arg buf:65536 --arg i32:16384";

TEST(KnownContents, LeaveNothingToAssumeAboutBranchesAndAddresses) {
  for (const char* app : {"spmv", "histogram", "bfs"})
    EXPECT_FALSE(assumes(predicted(basic + app + "/app.json"), "unknown data")) << app;
}

TEST(KnownContents, WithoutThemTheSameKernelIsAssumedAbout) {
  const Json prediction = predicted(spmv + "--arg buf:65540 --arg buf:1048576" + spmv_rest);
  EXPECT_TRUE(assumes(prediction, "unknown data"));
  EXPECT_TRUE(assumes(prediction, "functional execution could not go on: line"));
}

// One element a row: of x all rows load the same one, or each its own.
TEST(KnownContents, DecideHitRates) {
  const auto l2_hit = [](const std::string& columns) {
    const std::string arguments = spmv + "--arg buf:65540=iota:i32 --arg buf:1048576=" + columns + spmv_rest;
    return predicted(arguments).at("kernels").at(0).at("l2_hit").get<double>();
  };
  EXPECT_GT(l2_hit("constant:i32:0"), l2_hit("iota:i32") + 0.05);
}

// Rows of no elements against rows of 16: the contents of row_begin alone decide.
TEST(KnownContents, DecideTripCounts) {
  const std::string column = " --arg buf:1048576=constant:i32:0";
  const Json empty = predicted(spmv + "--arg buf:65540=constant:i32:0" + column + spmv_rest);
  const Json one = predicted(spmv + "--arg buf:65540=iota:i32" + column + spmv_rest);
  EXPECT_GT(one.at("kernels").at(0).at("warp_instructions"),
            empty.at("kernels").at(0).at("warp_instructions"));
}

// Shared memory whose contents follow from the launch needs no contents of buffers.
TEST(KnownContents, OfSharedMemoryFollowFromTheLaunch) {
  const Json prediction =
      predicted(KERNCAST_SOURCE_DIR "/tests/data/slice/shared_index.ptx --grid 64 --block 256 "
                                    "--arg buf:65536 --arg buf:65536");
  EXPECT_FALSE(assumes(prediction, "unknown data"));
  EXPECT_FALSE(assumes(prediction, "could not go on"));
}

// The frontier of the search grows and shrinks: its launches have the same arguments but not the same work.
TEST(KnownContents, EachLaunchSeesWhatEarlierOnesLeft) {
  const Json bfs = predicted(basic + "bfs/app.json");
  EXPECT_EQ(bfs.at("kernels").size(), 1U);
  EXPECT_EQ(bfs.at("kernels").at(0).at("launches"), 10);
}

// An application that multiplies `repeat` times by a matrix of which only the structure is known; `rest`:
// further events.
Json products(const std::string& repeat, const std::string& rest = {}) {
  const Folder folder;
  const std::string launch = R"({"op": "kernel", "kernel": "spmv", "grid": [64], "block": [256],
      "args": [{"buffer": "rows"}, {"buffer": "columns"}, {"buffer": "values"}, {"buffer": "x"}, {"buffer": "y"},
               {"i32": 16384}])";
  const std::string app =
      folder.write("app.json", R"({"format": "kerncast-app/1", "name": "products", "modules": [")" + basic +
                                   R"(spmv/spmv.ptx"], "buffers": {
      "rows": {"bytes": 65540, "init": {"kind": "iota", "type": "i32"}},
      "columns": {"bytes": 1048576, "init": {"kind": "constant", "type": "i32", "value": 0}},
      "values": {"bytes": 1048576}, "x": {"bytes": 65536}, "y": {"bytes": 65536}},
     "events": [)" + launch + R"(, "repeat": )" +
                                   repeat + "}" + rest + (rest.empty() ? "" : launch + "}") + "]}");
  return predicted(app);
}

// The values of the matrix decide nothing, so they need not be known; and what nobody changes need not be
// found out again: 5,000 launches are more than are recorded, and more instructions than are executed.
TEST(KnownContents, OfTablesThatNobodyWritesHoldForAllRepeats) {
  const Json one = products("1"), many = products("5000");
  EXPECT_FALSE(assumes(many, "unknown data"));
  EXPECT_FALSE(assumes(many, "could not go on"));
  EXPECT_EQ(many.at("kernels").at(0).at("launches"), 5000);
  EXPECT_EQ(many.at("kernels").at(0).at("warp_instructions"),
            one.at("kernels").at(0).at("warp_instructions"));
}

// A memset of the rows' begins empties all rows: the launch behind it is another one.
TEST(KnownContents, ThatAMemsetChangesAreFoundOutAgain) {
  const std::string memset = R"(, {"op": "memset", "bytes": 65540, "buffer": "rows"}, )";
  const Json same = products("2"), changed = products("1", memset);
  EXPECT_EQ(changed.at("kernels").at(0).at("launches"), 2);
  EXPECT_LT(changed.at("kernels").at(0).at("warp_instructions"),
            same.at("kernels").at(0).at("warp_instructions"));
}

// The rows' lengths lie in constant memory: as the PTX has them, or as the application says.
std::string rows_of_length(const Folder& folder, const std::string& variables) {
  return folder.write("rows.json",
                      R"({"format": "kerncast-app/1", "name": "rows", "modules": [")" KERNCAST_SOURCE_DIR
                      R"(/apps/workloads/parboil/spmv/spmv.ptx"], "buffers": {
      "y": {"bytes": 61440}, "values": {"bytes": 14674688}, "x": {"bytes": 586756},
      "columns": {"bytes": 14674688, "init": {"kind": "constant", "type": "i32", "value": 0}},
      "perm": {"bytes": 586756, "init": {"kind": "iota", "type": "i32"}}}, )" +
                          variables + R"("events": [{"op": "kernel", "kernel": "spmv_jds",
      "grid": [80], "block": [192], "args": [{"buffer": "y"}, {"buffer": "values"}, {"buffer": "columns"},
      {"buffer": "perm"}, {"buffer": "x"}, {"i32": 15360}]}]})");
}

TEST(KnownContents, OfVariablesDecideTripCounts) {
  const Folder folder;
  const auto instructions = [&](const std::string& variables) {
    const Json prediction = predicted(rows_of_length(folder, variables));
    EXPECT_FALSE(assumes(prediction, "unknown data"));
    return prediction.at("kernels").at(0).at("warp_instructions").get<double>();
  };
  // One element a row instead of 49 to 45.
  EXPECT_LT(10 * instructions(R"("variables": {"sh_zcnt_int": {"bytes": 20000, "init": {"kind": "constant",
      "type": "i32", "value": 1}}}, )"),
            instructions(""));
}

TEST(KnownContents, OfVariablesAreOfVariablesThatThereAre) {
  const Folder folder;
  const auto error = [&](const std::string& variable) {
    const std::string app =
        rows_of_length(folder, R"("variables": {)" + variable + R"(, "init": {"kind": "zeros"}}}, )");
    const Ended ended = kerncast("predict " + app + " --gpu titan-x");
    EXPECT_EQ(ended.exit_code, 1);
    return ended.err;
  };
  EXPECT_NE(error(R"("lengths": {"bytes": 4)").find("the modules have no variable 'lengths'"),
            std::string::npos);
  EXPECT_NE(error(R"("sh_zcnt_int": {"bytes": 4)").find("has 20000 bytes, not 4"), std::string::npos);
}

// Fetches through described textures have addresses, those at places that earlier launches computed too.
TEST(KnownContents, OfTexturesGiveFetchesAddresses) {
  const Json prediction = predicted(basic + "textures/app.json");
  ASSERT_EQ(prediction.at("kernels").size(), 2U);
  EXPECT_TRUE(assumes(prediction, "a fetch reads its first texel only"));
  EXPECT_FALSE(assumes(prediction, "unknown"));
  EXPECT_FALSE(assumes(prediction, "could not go on"));
  // 65,536 fetches of 256 colours: after the first few all of them hit.
  EXPECT_GT(prediction.at("kernels").at(1).at("l1_hit"), 0.3);
}

} // namespace
} // namespace kerncast::test
