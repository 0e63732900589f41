// Bad input: a diagnostic at its place with a next step, exit code 1, nothing written.
#include "program.h"

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

const std::string entry =
    ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\n"
    "\t.reg .b32 %r<4>;\n";

struct Bad {
  std::string file; // name of the file with the contents, F in the arguments
  std::string contents;
  std::string arguments;
  std::string message; // some diagnostic contains it
};

class BadInput : public testing::TestWithParam<Bad> {};

TEST_P(BadInput, IsRefusedAndNothingIsWritten) {
  const Bad& bad = GetParam();
  const Folder folder;
  std::string arguments = bad.arguments;
  if (!bad.file.empty())
    arguments.replace(arguments.find("@F"), 2, folder.write(bad.file, bad.contents));
  const std::size_t before = folder.entries();
  if (!arguments.starts_with("check") && !arguments.starts_with("gpus check"))
    arguments += " --json " + folder.path("out.json");
  const Ended ended = kerncast(arguments);
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(ended.err.find("error: "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("note: "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find(bad.message), std::string::npos) << ended.err;
  EXPECT_EQ(folder.entries(), before);
}

const std::string on_unit_gpu = " --gpu unit --grid 4 --block 32";

INSTANTIATE_TEST_SUITE_P(Ptx, BadInput,
                         testing::Values(Bad{"k.ptx", entry + "\taddd.s32 %r1, %r2, %r3;\n\tret;\n}\n",
                                             "predict @F" + on_unit_gpu, "k.ptx:7:2: error: "},
                                         Bad{"k.ptx", entry + "\tadd.s32 %r1, %r2, %r9;\n\tret;\n}\n",
                                             "predict @F" + on_unit_gpu, "k.ptx:7:20: error: "},
                                         Bad{"k.ptx", entry + "\tret;\n}\n",
                                             "predict @F --kernel l" + on_unit_gpu, "'l'"},
                                         Bad{"k.ptx", entry + "\tadd.s32 %r1, %r2", "check @F", "k.ptx:7:"},
                                         Bad{"k.ptx",
                                             std::string("\x7f"
                                                         "ELF\0\0",
                                                         6),
                                             "check @F", "offset 0x0: an ELF file begins with 64 bytes"},
                                         Bad{"k.ptx", "", "check @F", "error: "}));

INSTANTIATE_TEST_SUITE_P(
    Launches, BadInput,
    testing::Values(
        Bad{"", "", "predict " + data("scale.ptx") + " --gpu unit --grid 0 --block 32",
            "grid.x must be from 1"},
        Bad{"", "", "predict " + data("scale.ptx") + " --gpu unit --grid -4 --block 32",
            "grid.x must be from 1 to 2147483647, not -4"},
        Bad{"", "", "predict " + data("scale.ptx") + " --gpu unit --grid 1,65536 --block 32",
            "grid.y must be"},
        Bad{"", "", "predict " + data("scale.ptx") + " --gpu unit --grid 2147483648 --block 32",
            "grid.x must be"},
        Bad{"", "", "predict " + data("scale.ptx") + " --gpu unit --grid 2147483647,65535,65535 --block 32",
            "larger than 1099511627776"},
        Bad{"", "", "check " KERNCAST_SOURCE_DIR "/LICENSE", "not a kind of file"},
        Bad{"", "", "predict " + data("scale.ptx") + " --gpu unit --grid 4 --block 1025", "block.x must be"},
        Bad{"", "", "predict " + data("scale.ptx") + " --gpu unit --grid 4 --block 64,32",
            "larger than 1024"},
        Bad{"", "", "predict " + data("scale.ptx") + " --gpu unit --grid 4 --block 32 --regs 256",
            "--regs must be"},
        Bad{"", "", "predict " + data("scale.ptx") + " --gpu unit --grid 4 --block 32 --spill-stores -1",
            "--spill-stores must be"},
        Bad{"", "", "predict " + data("scale.ptx") + on_unit_gpu + " --dynamic-smem -1",
            "--dynamic-smem must be"},
        Bad{"", "", "predict " + data("scale.ptx") + on_unit_gpu + " --l1-hit 1.5",
            "--l1-hit must lie in [0, 1]"},
        Bad{"", "", "predict " + data("scale.ptx") + on_unit_gpu + " --l2-hit -0.1",
            "--l2-hit must lie in [0, 1]"},
        Bad{"", "", "predict " + data("scale.ptx") + on_unit_gpu + " --arg i32:1", "argument"},
        Bad{"", "", "predict " + data("scale.ptx") + on_unit_gpu + " --arg f33:1", "argument 1: --arg f33:1"},
        Bad{"", "", "predict " + data("scale.ptx") + on_unit_gpu + " --arg i32:abc",
            "must be a whole number"},
        Bad{"", "", "predict " + data("scale.ptx") + on_unit_gpu + " --arg buf:0", "must have a size from 1"},
        Bad{"", "", "predict " + data("scale.ptx") + on_unit_gpu + " --arg buf:8=@/nonexistent",
            "cannot read"},
        Bad{"", "",
            "predict " + data("scale.ptx") + on_unit_gpu + " --arg i32:1 --arg i32:1 --arg i32:1 --arg i32:1",
            "argument"},
        Bad{"", "", "predict " + data("scale.ptx") + " --gpu unit", "a kernel without a launch"},
        Bad{"", "", "predict " + data("scale.ptx") + " --grid 4 --block 32", "--gpu is missing"},
        Bad{"", "", "predict " + data("scale.ptx") + on_unit_gpu + " --dynamic-smem 16777216", "error: "},
        Bad{"", "", "predict " + data("scale.json") + " --gpu unit --grid 4 --block 32",
            "states its launches"},
        Bad{"", "", "occupancy --gpu titan-x --block 1024 --regs 255", "error: "},
        Bad{"", "", "occupancy --gpu titan-x --block 0 --regs 16", "block.x must be"}));

INSTANTIATE_TEST_SUITE_P(
    Gpus, BadInput,
    testing::Values(Bad{"", "", "predict " + data("scale.json") + " --gpu titan-xx", "titan-x"},
                    Bad{"", "", "predict " + data("scale.json") + " --gpu unit --set clock=1", "clock"},
                    Bad{"", "", "predict " + data("scale.json") + " --gpu unit --set clock_mhz=-1",
                        "clock_mhz"},
                    Bad{"", "", "occupancy --gpu unit --block 32 --regs 16 --set sms=2 --set sms=2",
                        "--set: sms is set twice"},
                    Bad{"g.toml", "inherits = \"unit\"\nclok_mhz = 1\n", "gpus check @F", "g.toml:2:"},
                    Bad{"g.toml", "inherits = \"unit\"\nclock_mhz = ", "check @F", "g.toml:2:"},
                    Bad{"g.toml", "inherits = \"unit\"\nsms = 0\n",
                        "predict " + data("scale.json") + " --gpu @F", "g.toml:2:"}));

std::string bad_app(const std::string& event) {
  return R"({"format": "kerncast-app/1", "name": "n", "modules": [")" + data("scale.ptx") +
         "\"], \"buffers\": {\"x\": {\"bytes\": 1024}},\n\"events\": [\n" + event + "]}";
}

std::string bad_kernel(const std::string& name, const std::string& args) {
  return bad_app(R"({"op": "kernel", "kernel": ")" + name + R"(", "grid": [1], "block": [32])" + args + "}");
}

INSTANTIATE_TEST_SUITE_P(
    Applications, BadInput,
    testing::Values(
        Bad{"a.json", bad_kernel("scal", ""), "predict @F --gpu unit",
            "a.json:3:28: error: unknown kernel 'scal'"},
        Bad{"a.json", bad_kernel("scale", R"(, "args": [{"i32": 1}])"), "predict @F --gpu unit", "a.json:3:"},
        Bad{"a.json", bad_kernel("scale", R"(, "args": [{"f32": 1}, {"f32": 1}, {"f32": 1}, {"f32": 1}])"),
            "check @F", "a.json:3:"},
        Bad{"a.json", bad_kernel("scale", R"(, "registers": 255, "dynamic_smem_bytes": 16777216)"),
            "predict @F --gpu titan-x", "a.json:3:"},
        Bad{"a.json", bad_kernel("scale", R"(, "hit_rates": {"l1": -1, "l2": 0})"), "predict @F --gpu unit",
            "hit rate l1 must lie in [0, 1]"},
        Bad{"a.json", bad_kernel("scale", R"(, "repaet": 2)"), "check @F", "did you mean 'repeat'?"},
        Bad{"a.json", R"({"format": "kerncast-app/2", "steps": []})", "predict @F --gpu unit",
            "a.json:1:12: error: format 'kerncast-app/2', but this program reads 'kerncast-app/1'"},
        Bad{"a.json", R"({"format": "kerncast-app/1", "name": "n", "modules": ["none.ptx"], "events": []})",
            "check @F", "a.json:1:55: error: module '"},
        Bad{"a.json", R"({"format": "kerncast-app/1", "name": )", "check @F",
            "a.json:1:38: error: not valid JSON"},
        Bad{"", "", "check /nonexistent/app.json", "/nonexistent/app.json: error: no such file"},
        Bad{"", "", "check /", "/: error: is a directory"}));

TEST(BadInput, EveryFileOfSeveralIsReported) {
  const Ended ended = kerncast("check /nonexistent/a /nonexistent/b");
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("/nonexistent/a: error:"), std::string::npos);
  EXPECT_NE(ended.err.find("/nonexistent/b: error:"), std::string::npos);
}

// Modules are parsed side by side, but their errors stand in the application's order.
TEST(BadInput, ErrorsOfModulesAreTheSameAtAnyNumberOfThreads) {
  const Folder folder;
  std::string modules;
  for (int i = 0; i < 8; ++i) {
    const std::string name = "m" + std::to_string(i) + ".ptx";
    folder.write(name, entry + std::string(static_cast<std::size_t>(1000 * (8 - i)), '\n') +
                           "\taddd.s32 %r1;\n}\n");
    modules += (i == 0 ? "\"" : ", \"") + name + "\"";
  }
  const std::string file =
      folder.write("a.json", R"({"format": "kerncast-app/1", "name": "n", "modules": [)" + modules +
                                 R"(], "events": []})");
  const Ended one = kerncast("predict " + file + " --gpu unit --threads 1");
  EXPECT_EQ(one.exit_code, 1);
  std::size_t at = 0;
  for (int i = 0; i < 8; ++i) {
    at = one.err.find("m" + std::to_string(i) + ".ptx:", at);
    EXPECT_NE(at, std::string::npos) << one.err;
  }
  for (const char* threads : {"2", "8"})
    EXPECT_EQ(kerncast("predict " + file + " --gpu unit --threads " + threads).err, one.err);
}

TEST(BadInput, StrictRefusesEveryAssumption) {
  const Ended ended = kerncast("predict " + data("scale.ptx") + on_unit_gpu + " --strict");
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(
      ended.err.find("error: --strict: scale on unit assumes: line 33: the address depends on unknown data"),
      std::string::npos)
      << ended.err;
}

TEST(BadInput, TheErrorLimitIsKept) {
  std::string text = entry;
  for (int i = 0; i < 9; ++i)
    text += "\taddd.s32 %r1, %r2, %r3;\n";
  const Folder folder;
  const std::string file = folder.write("k.ptx", text + "\tret;\n}\n");
  const auto errors = [](const Ended& ended) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = ended.err.find(": error: ", at)) != std::string::npos; ++at)
      ++count;
    return count;
  };
  EXPECT_EQ(errors(kerncast("check " + file + " --error-limit 3")), 3U);
  EXPECT_EQ(errors(kerncast("check " + file)), 9U);
}

} // namespace
} // namespace kerncast::test
