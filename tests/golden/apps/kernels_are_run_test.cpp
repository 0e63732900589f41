// kerncast run: what buffers hold afterwards, as JSON, as a table and as files.
#include "answers.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

const std::string vector_add = "run " + basic_workloads + "vector_add/vector_add.ptx --grid 2 --block 256 ";

TEST(Run, WritesBuffersToFiles) {
  const Folder folder;
  const std::string out = folder.path("c.bin");
  const Ended ended = kerncast(vector_add +
                               "--arg buf:2000=iota:f32 --arg buf:2000=constant:f32:0.5 --arg buf:2000 "
                               "--arg i32:500 --output 3=" +
                               out);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const std::string bytes = read(out);
  ASSERT_EQ(bytes.size(), 2000U);
  std::vector<float> values(500);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  for (std::size_t k = 0; k < 500; ++k)
    EXPECT_EQ(values[k], static_cast<float>(k) + 0.5F);
}

// 0 + 1 + ... + 99 = 4950
TEST(Run, ShowsTheFirstValuesOfTypedBuffers) {
  const Ended ended = kerncast("run " + basic_workloads +
                               "reduction/reduction.ptx --grid 1 --block 256 --arg buf:400=iota:u32 "
                               "--arg buf:4=constant:u32:0 --arg i32:100");
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find("u32   4950"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("0 1 2 3 4 5 6 7"), std::string::npos) << ended.out;
}

TEST(Run, GivesTheSameBytesOnAnyNumberOfThreads) {
  const std::string app = "run " + basic_workloads + "histogram/app.json --json - --threads ";
  const Ended one = kerncast(app + "1"), four = kerncast(app + "4");
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out, four.out);
  const Json json = Json::parse(one.out);
  EXPECT_EQ(json.at("format"), "kerncast-run/1");
  EXPECT_EQ(json.at("kernels").at(0).at("launches"), 1);
  // 1,048,576 bytes over 64 CTAs of 256 threads: 64 iterations each.
  EXPECT_EQ(json.at("kernels").at(0).at("loops").at(0).at("thread_iterations"), 1048576);
}

// Every node of the random graph is reached in 10 levels or has no way to it: the levels are 0 to 10 and -1.
TEST(Run, AnApplicationsLaunchesFollowEachOther) {
  const Folder folder;
  const std::string out = folder.path("level.bin");
  const Ended ended = kerncast("run " + basic_workloads + "bfs/app.json --output level=" + out);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const std::string bytes = read(out);
  std::vector<int> level(bytes.size() / 4);
  std::memcpy(level.data(), bytes.data(), bytes.size());
  EXPECT_EQ(level[0], 0);
  EXPECT_EQ(*std::max_element(level.begin(), level.end()), 10);
  EXPECT_EQ(*std::min_element(level.begin(), level.end()), -1);
}

// struct { const float* in; float* out; int n; }: its second member is buffer 1.2.
std::string with_structure(const std::string& members) {
  return "run " KERNCAST_SOURCE_DIR "/tests/data/slice/structure.ptx --grid 1 --block 128 --arg struct:" +
         members + " --arg f32:2";
}

TEST(Run, StructuresAreArguments) {
  const Folder folder;
  const std::string out = folder.path("out.bin");
  const Ended ended = kerncast(with_structure("buf:400=iota:f32,buf:400,i32:100") + " --output 1.2=" + out);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const std::string bytes = read(out);
  ASSERT_EQ(bytes.size(), 400U);
  std::vector<float> values(100);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  for (std::size_t k = 0; k < 100; ++k)
    EXPECT_EQ(values[k], 2 * static_cast<float>(k));
  // The same at offsets, in another order.
  const Ended same = kerncast(with_structure("@16:i32:100,@8:buf:400,@0:buf:400=iota:f32"));
  EXPECT_EQ(same.exit_code, 0) << same.err;
}

TEST(Run, StructuresThatDoNotFitAreRefused) {
  const auto error = [](const std::string& members) {
    const Ended ended = kerncast(with_structure(members));
    EXPECT_EQ(ended.exit_code, 1) << members;
    return ended.err;
  };
  const auto says = [&](const std::string& members, const std::string& what) {
    const std::string text = error(members);
    EXPECT_NE(text.find(what), std::string::npos) << text;
  };
  says("buf:400=zeros,buf:400",
       "argument 1 of kernel scale states nothing for byte 16 of the structure, which the kernel loads");
  says("buf:400,buf:400,i32:1,f64:0", "ends at byte 32, but parameter scale_param_0 has 24 bytes");
  says("buf:400,@4:i32:1", "the member at byte 4 overlaps the one at byte 0");
  says("buf:400,", "ends with a comma");
  says("", "member 1: must start with one of the types i8");
  says("@x:i32:1", "must have an offset from 0 to 32764");
  says("i8:200", "must be a whole number from -128 to 127");
}

// Of an image of 7 x 5 ones: the sum of the weights 1, 2, 4, ..., 256 of the window's places that lie in it.
float convolved(int h, int w) {
  int sum = 0;
  for (int place = 0; place < 9; ++place) {
    const int y = h + place / 3 - 1, x = w + place % 3 - 1;
    sum += y >= 0 && y < 5 && x >= 0 && x < 7 ? 1 << place : 0;
  }
  return static_cast<float>(sum);
}

// Two images of 7 x 5 pixels with 16 channels, all elements 1, and weights 1, 2, 4, ..., 256: at the corner
// (0, 0) the window's first row and column are outside, which leaves 16 + 32 + 128 + 256 = 432; inside it is
// 511.
TEST(Run, TensorMapsDescribePixels) {
  const Folder folder;
  const std::string out = folder.path("out.bin");
  std::string weights;
  for (int place = 0; place < 9; ++place)
    weights += (place > 0 ? ", " : "") + std::string(R"({"at": )") + std::to_string(4 * place) +
               R"(, "bytes": 4, "init": {"kind": "constant", "value": )" + std::to_string(1 << place) + "}}";
  const std::string app = folder.write(
      "app.json", R"({"format": "kerncast-app/1", "name": "convolution", "modules": [")" KERNCAST_SOURCE_DIR
                  R"(/tests/data/slice/convolution_columns.ptx"],
          "buffers": {"a": {"bytes": 4480, "init": {"kind": "constant", "value": 1}}, "b": {"bytes": 4480},
                      "w": {"bytes": 36, "init": {"kind": "pieces", "pieces": [)" +
                      weights + R"(]}}},
          "tensor_maps": {"images": {"buffer": "a", "type": "f32", "dims": [16, 7, 5, 2], "channels": 16, "pixels": 32,
                                     "lower_corner": [-1, -1], "upper_corner": [-1, -1]}},
          "events": [{"op": "kernel", "kernel": "convolve", "grid": [3], "block": [32],
                      "args": [{"tensor_map": "images"}, {"buffer": "w"}, {"buffer": "b"}, {"i32": 7}, {"i32": 5},
                               {"i32": 70}]}]})");
  const Ended ended = kerncast("run " + app + " --output b=" + out);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const std::string bytes = read(out);
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  ASSERT_EQ(values.size(), 1120U);
  for (int n = 0; n < 2; ++n)
    for (int h = 0; h < 5; ++h)
      for (int w = 0; w < 7; ++w)
        EXPECT_EQ(values[16 * ((n * 5 + h) * 7 + w)], convolved(h, w)) << n << h << w;
  const Ended predicted = kerncast("predict " + app + " --gpu h100-sxm --json -");
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
}

const std::string driver = "run " KERNCAST_SOURCE_DIR "/tests/data/slice/driver_functions.ptx ";

TEST(Run, PrintsWhatKernelsPrint) {
  const std::string tells =
      driver + "--kernel _Z5tellsPKii --grid 3 --block 4 --arg buf:40=iota --arg i32:10 ";
  const std::string text = "  0 is even, half is 0.0\n  3 is odd, half is 1.5\n  6 is even, half is 3.0\n"
                           "  9 is odd, half is 4.5\n";
  const Ended table = kerncast(tells + "--threads 4");
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_EQ(table.out.substr(0, text.size()), text);
  const Ended json = kerncast(tells + "--json -");
  EXPECT_EQ(Json::parse(json.out).at("format"), "kerncast-run/1");
  EXPECT_EQ(json.err, text);
}

TEST(Run, AssertionsEndTheRun) {
  const Ended failed =
      kerncast(driver + "--kernel _Z7assertsPKii --grid 1 --block 128 --arg buf:512=iota --arg i32:128");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.err.find("thread (100, 0, 0): assertion `i >= n || in[i] < 100' failed"),
            std::string::npos)
      << failed.err;
  EXPECT_NE(failed.err.find("note: driver_functions.cu:16, in void asserts(const int *, int)"),
            std::string::npos)
      << failed.err;
  const Ended holds =
      kerncast(driver + "--kernel _Z7assertsPKii --grid 1 --block 128 --arg buf:512=iota --arg i32:100");
  EXPECT_EQ(holds.exit_code, 0) << holds.err;
}

// 64 threads: i^2 + (i + 1)^2 + (i + 2)^2 = 3 i^2 + 6 i + 5. A block of 16 bytes for each, from a heap of 256
// bytes for half of a warp, whose blocks are free again when the next one has its turn.
TEST(Run, KernelsAllocateFromAHeap) {
  const Folder folder;
  const auto run = [&](const std::string& heap) {
    const std::string app = folder.write(
        "app.json",
        R"({"format": "kerncast-app/1", "name": "heap", )" + heap +
            R"("modules": [")" KERNCAST_SOURCE_DIR
            R"(/tests/data/slice/driver_functions.ptx"], "buffers": {"out": {"bytes": 256, "init": {"kind": "zeros"}}},
           "events": [{"op": "kernel", "kernel": "_Z9allocatesPii", "grid": [1], "block": [64],
                       "args": [{"buffer": "out"}, {"i32": 3}]}]})");
    const Ended ended = kerncast("run " + app + " --output out=" + folder.path("out.bin"));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const std::string bytes = read(folder.path("out.bin"));
    std::vector<int> values(bytes.size() / 4);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  const std::vector<int> all = run(""), some = run(R"("malloc_heap_bytes": 256, )");
  ASSERT_EQ(all.size(), 64U);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(all[i], 3 * i * i + 6 * i + 5);
    EXPECT_EQ(some[i], i % 32 < 16 ? all[i] : 0);
  }
}

// A structure of 24 bytes, of which 8 are given: the place is that of the arguments.
TEST(Run, StructuresWithoutAMemberAreLocated) {
  const Folder folder;
  const std::string app = folder.write(
      "app.json",
      R"({"format": "kerncast-app/1", "name": "part", "modules": [")" KERNCAST_SOURCE_DIR
      R"(/tests/data/slice/structure.ptx"], "buffers": {"a": {"bytes": 400, "init": {"kind": "zeros"}}},
 "events": [{"op": "kernel", "kernel": "scale", "grid": [1], "block": [128],
  "args": [{"struct": [{"buffer": "a"}]}, {"f32": 3}]}]})");
  for (const std::string& command : {"run " + app, "predict " + app + " --gpu titan-x"}) {
    const Ended ended = kerncast(command);
    EXPECT_EQ(ended.exit_code, 1) << ended.out;
    EXPECT_NE(ended.err.find("app.json:3:11: error: argument 1 of kernel scale states nothing for byte 16"),
              std::string::npos)
        << ended.err;
    EXPECT_NE(ended.err.find("note: line"), std::string::npos) << ended.err;
  }
}

// Of 100 x 100 floats, in tiles of 32 x 32: the last ones lie partly outside.
TEST(Run, TensorMapsDescribeTiles) {
  const Folder folder;
  const std::string out = folder.path("to.bin");
  const std::string app = folder.write(
      "app.json", R"({"format": "kerncast-app/1", "name": "tiles", "modules": [")" KERNCAST_SOURCE_DIR
                  R"(/tests/data/slice/tensor_tiles.ptx"],
          "buffers": {"a": {"bytes": 40000, "init": {"kind": "iota", "type": "f32"}}, "b": {"bytes": 40000}},
          "tensor_maps": {"from": {"buffer": "a", "type": "f32", "dims": [100, 100], "box": [32, 32]},
                          "to": {"buffer": "b", "type": "f32", "dims": [100, 100], "box": [32, 32]}},
          "events": [{"op": "kernel", "kernel": "scale_tiles", "grid": [4, 4], "block": [128],
                      "args": [{"tensor_map": "from"}, {"tensor_map": "to"}, {"f32": 3}]}]})");
  const Ended ended = kerncast("run " + app + " --output b=" + out);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const std::string bytes = read(out);
  ASSERT_EQ(bytes.size(), 40000U);
  std::vector<float> values(10000);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    EXPECT_EQ(values[k], 3 * static_cast<float>(k));
}

TEST(Run, TensorMapsThatTheDriverRefusesAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"tensor:f32:30x30:32x32", "the stride of dimension 1 is 120 bytes"},
      {"tensor:f32:32x32:30x32", "a row of the box has 120 bytes"},
      {"tensor:f32:32x32:32x300", "the box has 300 elements along dimension 1"},
      {"tensor:f32:64x64:64x64:128b", "more than its swizzle of 128 bytes"},
      {"tensor:u32:64x64:32x32:nan", "elements outside cannot be filled so"},
      {"tensor:f32:64x64:32", "must have extents and a box of the same 1 to 5 dimensions"},
      {"tensor:s16:64x64:32x32", "must have elements of one of the types u8, u16"},
      {"tensor:f32:64x64:32x32:96b", "has the option '96b'"},
      {"tensor:f32", "must have a type, extents and a box"}};
  for (const auto& [argument, what] : cases) {
    const Ended ended =
        kerncast("run " KERNCAST_SOURCE_DIR "/tests/data/slice/tensor_tiles.ptx --grid 1 --block 32 --arg " +
                 std::string(argument) + " --arg tensor:f32:32x32:32x32 --arg f32:1");
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_NE(ended.err.find(what), std::string::npos) << ended.err;
  }
}

TEST(Run, AFaultWritesNothing) {
  const Folder folder;
  const Ended ended = kerncast(vector_add +
                               "--arg buf:2000=iota:f32 --arg buf:2000=zeros --arg buf:2000 "
                               "--arg i32:501 --output 3=" +
                               folder.path("c.bin"));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("error: kernel vector_add, CTA (1, 0, 0), thread (244, 0, 0)"), std::string::npos)
      << ended.err;
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(Run, RefusesContentsThatAreNone) {
  for (const char* argument : {"buf:8=iota:f16", "buf:8=constant:u8:256", "buf:8=random:i32:x", "buf:8=half"})
    EXPECT_EQ(kerncast(vector_add + "--arg buf:8 --arg buf:8 --arg i32:0 --arg " + argument).exit_code, 1)
        << argument;
  const Ended unknown = kerncast(vector_add + "--arg buf:8 --arg buf:8 --arg buf:8 --arg i32:0 --output 4=x");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_NE(unknown.err.find("there is no buffer '4'"), std::string::npos) << unknown.err;
}

} // namespace
} // namespace kerncast::test
