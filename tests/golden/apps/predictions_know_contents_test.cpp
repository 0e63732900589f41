// With the contents of buffers given, predictions of kernels that depend on data know branches and addresses.
#include "answers.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

Json predicted_on_titan_x(const std::string& arguments) {
  return first_predicted(arguments + " --gpu titan-x");
}

bool some_kernel_assumes(const Json& prediction, const std::string& what) {
  const Json& kernels = prediction.at("kernels");
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](const Json& kernel) { return assumes(kernel, what); });
}

const std::string spmv = basic_workloads + "spmv/spmv.ptx --grid 64 --block 256 ";
const std::string spmv_rest =
    " --arg buf:1048576=random:f32:2 --arg buf:65536=random:f32:3 --arg buf:65536 --arg i32:16384";

TEST(KnownContents, LeaveNothingToAssumeAboutBranchesAndAddresses) {
  for (const char* app : {"spmv", "histogram", "bfs"})
    EXPECT_FALSE(
        some_kernel_assumes(predicted_on_titan_x(basic_workloads + app + "/app.json"), "unknown data"))
        << app;
}

TEST(KnownContents, WithoutThemTheSameKernelIsAssumedAbout) {
  const Json prediction = predicted_on_titan_x(spmv + "--arg buf:65540 --arg buf:1048576" + spmv_rest);
  EXPECT_TRUE(some_kernel_assumes(prediction, "unknown data"));
  EXPECT_TRUE(some_kernel_assumes(prediction, "functional execution could not go on: line"));
}

// One element a row: of x all rows load the same one, or each its own.
TEST(KnownContents, DecideHitRates) {
  const auto l2_hit = [](const std::string& columns) {
    const std::string arguments = spmv + "--arg buf:65540=iota:i32 --arg buf:1048576=" + columns + spmv_rest;
    return predicted_on_titan_x(arguments).at("kernels").at(0).at("l2_hit").get<double>();
  };
  EXPECT_GT(l2_hit("constant:i32:0"), l2_hit("iota:i32") + 0.05);
}

// Rows of no elements against rows of 16: the contents of row_begin alone decide.
TEST(KnownContents, DecideTripCounts) {
  const std::string column = " --arg buf:1048576=constant:i32:0";
  const Json empty = predicted_on_titan_x(spmv + "--arg buf:65540=constant:i32:0" + column + spmv_rest);
  const Json one = predicted_on_titan_x(spmv + "--arg buf:65540=iota:i32" + column + spmv_rest);
  EXPECT_GT(one.at("kernels").at(0).at("warp_instructions"),
            empty.at("kernels").at(0).at("warp_instructions"));
}

// 65,536 CTAs that count to 4,000 are more than is executed, but nothing writes how far they count: slices of
// some are enough.
TEST(KnownContents, OfAFewCtasDoWhereAllWouldTakeTooLong) {
  const Folder folder;
  const std::string ptx = folder.write("count.ptx", R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry count(.param .u64 trips, .param .u64 out)
{
  .reg .pred %p;
  .reg .b32 %n, %i;
  .reg .b64 %a, %b;
  ld.param.u64 %a, [trips];
  ld.param.u64 %b, [out];
  ld.global.u32 %n, [%a];
  mov.u32 %i, 0;
LOOP:
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, %n;
  @%p bra LOOP;
  st.global.u32 [%b], %i;
  ret;
}
)");
  const Json prediction =
      predicted_on_titan_x(ptx + " --grid 65536 --block 32 --arg buf:4=constant:i32:4000 --arg buf:4");
  EXPECT_FALSE(some_kernel_assumes(prediction, "could not go on"));
  EXPECT_FALSE(some_kernel_assumes(prediction, "unknown data"));
  EXPECT_TRUE(some_kernel_assumes(
      prediction, "CTAs executed with the contents of buffers: 256 of 65536, evenly spread, stand for all"));
  EXPECT_GT(prediction.at("kernels").at(0).at("warp_instructions").get<double>(), 65536.0 * 4000 * 2);
}

// Shared memory whose contents follow from the launch needs no contents of buffers.
TEST(KnownContents, OfSharedMemoryFollowFromTheLaunch) {
  const Json prediction =
      predicted_on_titan_x(KERNCAST_SOURCE_DIR "/tests/data/slice/shared_index.ptx --grid 64 --block 256 "
                                               "--arg buf:65536 --arg buf:65536");
  EXPECT_FALSE(some_kernel_assumes(prediction, "unknown data"));
  EXPECT_FALSE(some_kernel_assumes(prediction, "could not go on"));
}

// The frontier of the search grows and shrinks: its launches have the same arguments but not the same work.
TEST(KnownContents, EachLaunchSeesWhatEarlierOnesLeft) {
  const Json bfs = predicted_on_titan_x(basic_workloads + "bfs/app.json");
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
  const std::string app = folder.write(
      "app.json", R"({"format": "kerncast-app/1", "name": "products", "modules": [")" + basic_workloads +
                      R"(spmv/spmv.ptx"], "buffers": {
      "rows": {"bytes": 65540, "init": {"kind": "iota", "type": "i32"}},
      "columns": {"bytes": 1048576, "init": {"kind": "constant", "type": "i32", "value": 0}},
      "values": {"bytes": 1048576}, "x": {"bytes": 65536}, "y": {"bytes": 65536}},
     "events": [)" + launch +
                      R"(, "repeat": )" + repeat + "}" + rest + (rest.empty() ? "" : launch + "}") + "]}");
  return predicted_on_titan_x(app);
}

// The values of the matrix decide nothing, so they need not be known; and what nobody changes need not be
// found out again: 100,000,000 launches are more than are recorded, and more instructions than are executed.
TEST(KnownContents, OfTablesThatNobodyWritesHoldForAllRepeats) {
  const Json one = products("1"), many = products("100000000");
  EXPECT_FALSE(some_kernel_assumes(many, "unknown data"));
  EXPECT_FALSE(some_kernel_assumes(many, "could not go on"));
  EXPECT_EQ(many.at("kernels").at(0).at("launches"), 100000000);
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
    const Json prediction = predicted_on_titan_x(rows_of_length(folder, variables));
    EXPECT_FALSE(some_kernel_assumes(prediction, "unknown data"));
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

// As many iterations as lie in `trips`, a register.
std::string loop_kernel(const std::string& name, const std::string& parameters, const std::string& load) {
  return ".visible .entry " + name + "(" + parameters + ")\n{\n.reg .pred %p;\n.reg .b32 %r<4>;\n" +
         ".reg .b64 %l<6>;\n" + load + "mov.u32 %r2, 0;\nL:\nadd.u32 %r2, %r2, 1;\n" +
         "setp.lt.u32 %p, %r2, %r1;\n@%p bra L;\nret;\n}\n";
}
const std::string header = ".version 8.0\n.target sm_80\n.address_size 64\n";

double loop_instructions(const Folder& folder, const std::string& text) {
  const Json prediction = predicted_on_titan_x(folder.write("app.json", text));
  EXPECT_FALSE(some_kernel_assumes(prediction, "unknown data"));
  EXPECT_FALSE(some_kernel_assumes(prediction, "could not go on"));
  return prediction.at("kernels").back().at("warp_instructions").get<double>();
}

// One kernel stores a pointer, another loads it, adds n to it and follows it: no parameter of that one tells
// which buffer decides.
TEST(KnownContents, AreReachedThroughPointersThatOtherKernelsStored) {
  const Folder folder;
  folder.write(
      "k.ptx",
      header +
          ".visible .entry link(.param .u64 table, .param .u64 rows)\n{\n.reg .b64 %l<4>;\n"
          "ld.param.u64 %l1, [table];\nld.param.u64 %l2, [rows];\nst.global.u64 [%l1], %l2;\nret;\n}\n" +
          loop_kernel("walk", ".param .u64 table, .param .u32 n",
                      "ld.param.u64 %l1, [table];\nld.param.u32 %r3, [n];\n"
                      "ld.global.u64 %l2, [%l1];\nmul.wide.u32 %l3, %r3, 4;\nadd.u64 %l2, %l2, %l3;\n"
                      "ld.global.u32 %r1, [%l2];\n"));
  const auto instructions = [&](const std::string& trips) {
    return loop_instructions(folder, R"({"format": "kerncast-app/1", "name": "pointers", "modules": ["k.ptx"],
      "buffers": {"table": {"bytes": 64, "init": {"kind": "zeros"}},
                  "rows": {"bytes": 64, "init": {"kind": "constant", "type": "i32", "value": )" +
                                         trips + R"(}}},
      "events": [{"op": "kernel", "kernel": "link", "grid": [1], "block": [1],
                  "args": [{"buffer": "table"}, {"buffer": "rows"}]},
                 {"op": "kernel", "kernel": "walk", "grid": [1], "block": [32],
                  "args": [{"buffer": "table"}, {"i32": 3}]}]})");
  };
  EXPECT_GT(instructions("500"), instructions("5") + 400);
}

// Two modules have a variable of one name, of one size or of two.
TEST(KnownContents, OfVariablesOfOneNameAreTheirModules) {
  const Folder folder;
  const auto module = [](const std::string& kernel, const std::string& words) {
    return header + ".const .align 4 .u32 trips[" + words + "];\n" +
           loop_kernel(kernel, "", "ld.const.u32 %r1, [trips];\n");
  };
  folder.write("a.ptx", module("first", "1"));
  folder.write("b.ptx", module("second", "2"));
  const auto app = [&](const std::string& variables) {
    return R"({"format": "kerncast-app/1", "name": "names", "modules": ["a.ptx", "b.ptx"], "variables": {)" +
           variables + R"(}, "events": [
      {"op": "kernel", "kernel": "first", "grid": [1], "block": [32]},
      {"op": "kernel", "kernel": "second", "grid": [1], "block": [32]}]})";
  };
  const auto constant = [](const std::string& name, const std::string& bytes, const std::string& value) {
    return "\"" + name + R"(": {"bytes": )" + bytes +
           R"(, "init": {"kind": "constant", "type": "i32", "value": )" + value + "}}";
  };
  const auto second = [&](const std::string& value) {
    return loop_instructions(
        folder, app(constant("a.ptx:trips", "4", "7") + ", " + constant("b.ptx:trips", "8", value)));
  };
  EXPECT_GT(second("500"), second("5") + 400);
  const Ended ended =
      kerncast("predict " + folder.write("app.json", app(constant("trips", "4", "7"))) + " --gpu titan-x");
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("the variable 'trips' of 'b.ptx' has 8 bytes, not 4"), std::string::npos)
      << ended.err;
  const Ended unknown = kerncast(
      "predict " + folder.write("app.json", app(constant("c.ptx:trips", "4", "7"))) + " --gpu titan-x");
  EXPECT_NE(unknown.err.find("'c.ptx' has no variable 'trips'"), std::string::npos) << unknown.err;
}

// Options say what unknown branches, loops and addresses of a PTX file's kernel do.
TEST(KnownContents, AreStatedByOptionsToo) {
  const std::string without = spmv + "--arg buf:65540 --arg buf:1048576" + spmv_rest;
  const Json unknown = predicted_on_titan_x(without);
  std::string line; // of an address that depends on data
  for (const Json& a : unknown.at("kernels").at(0).at("assumptions"))
    if (const auto text = a.get<std::string>();
        text.find("the address depends on unknown data") != std::string::npos)
      line = text.substr(5, text.find(':') - 5);
  ASSERT_FALSE(line.empty());
  const Json given = predicted_on_titan_x(without + " --addresses " + line + "=coalesced");
  EXPECT_TRUE(some_kernel_assumes(
      given, "line " + line + ": the address depends on unknown data; taken as coalesced, as given"));
  EXPECT_LT(given.at("kernels").at(0).at("cycles"), unknown.at("kernels").at(0).at("cycles"));
  for (const char* wrong : {"--addresses 9=wide", "--addresses coalesced", "--branch 9=2", "--loop 9=-1",
                            "--addresses 9=stride:x", "--loop 9=1 --loop 9=2", "--branch 9=0.5"})
    EXPECT_EQ(kerncast("predict " + without + " --gpu titan-x " + wrong).exit_code, 1) << wrong;
}

// x is argument 4: lanes scattered within it are what is assumed anyway; lanes at one place move less.
TEST(KnownContents, OfWhichOnlyTheBufferIsStatedAreTakenAsGiven) {
  const std::string without = spmv + "--arg buf:65540 --arg buf:1048576" + spmv_rest;
  const auto of_kernel = [](const Json& prediction, const char* key) {
    return prediction.at("kernels").at(0).at(key).get<double>();
  };
  const Json unknown = predicted_on_titan_x(without),
             scattered = predicted_on_titan_x(without + " --buffer-addresses 4=scattered"),
             broadcast = predicted_on_titan_x(without + " --buffer-addresses 4=broadcast");
  EXPECT_TRUE(some_kernel_assumes(scattered, "taken as scattered within its buffer, as given"));
  EXPECT_NEAR(of_kernel(scattered, "l2_hit"), of_kernel(unknown, "l2_hit"), 0.01);
  EXPECT_GT(of_kernel(scattered, "l2_hit"), 0.5); // 64 KiB, which L2 holds
  EXPECT_LT(of_kernel(broadcast, "l2_bytes"), 0.8 * of_kernel(scattered, "l2_bytes"));
  for (const char* wrong :
       {"6=scattered", "4=wide", "x=scattered", "4=scattered --buffer-addresses 4=coalesced"})
    EXPECT_EQ(kerncast("predict " + without + " --gpu titan-x --buffer-addresses " + wrong).exit_code, 1)
        << wrong;
}

// Fetches through described textures have addresses, those at places that earlier launches computed too.
TEST(KnownContents, OfTexturesGiveFetchesAddresses) {
  const Json prediction = predicted_on_titan_x(basic_workloads + "textures/app.json");
  ASSERT_EQ(prediction.at("kernels").size(), 2U);
  EXPECT_TRUE(some_kernel_assumes(prediction, "a fetch reads its first texel only"));
  EXPECT_FALSE(some_kernel_assumes(prediction, "unknown"));
  EXPECT_FALSE(some_kernel_assumes(prediction, "could not go on"));
  // 65,536 fetches of 256 colours: after the first few all of them hit.
  EXPECT_GT(prediction.at("kernels").at(1).at("l1_hit"), 0.3);
}

} // namespace
} // namespace kerncast::test
